require_relative 'library'

$stdin.each_line(chomp: true) do |line|
  _, _, body, _, headers = line.split("\t", -1)
  decode = ->(text) { text.unpack1('m0').force_encoding(Encoding::UTF_8) }
  pairs = headers.split(',').to_h { |pair| pair.split(':', -1).map(&decode) }
  puts receive(pairs, decode.(body)) ? 'accepted' : 'refused'
end
