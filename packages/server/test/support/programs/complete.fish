# Completes lines as fish does. Prints a line for each: the matches.
# Arguments: the script of `trunkline completion fish`, then the lines.
source $argv[1]
for line in $argv[2..]
    # A match may have a description after a tab.
    echo (complete --do-complete $line | string replace --regex '\t.*' '')
end
