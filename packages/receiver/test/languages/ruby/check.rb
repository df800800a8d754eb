require_relative 'webhook'

$stdin.each_line(chomp: true) do |line|
  now, tolerance, body, secrets, headers = line.split("\t", -1)
  decode = ->(text) { text.unpack1('m0').force_encoding(Encoding::UTF_8) }
  pairs = headers.split(',').map { |pair| pair.split(':', -1).map(&decode) }
  signed = Webhook.signed_headers(pairs, now.to_i, tolerance.to_i)
  puts Webhook.verify(secrets.split(',').map(&decode), signed, body.unpack1('m0'))['id']
rescue Webhook::Refused => e
  puts e.message
end
