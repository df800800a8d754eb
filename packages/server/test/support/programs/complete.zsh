# Completes lines as an interactive zsh does. Prints a line for each: the line after a Tab, a bar, and the matches.
# Arguments: the script of `trunkline completion zsh`, then the lines.
zmodload zsh/zpty
typeset -x results=$(mktemp) script=$1 setup=$(mktemp)
shift
cat > $setup <<'SETUP'
source $script
compadd() {
  if [[ "$*" != *-[OAD]\ * ]]; then
    local -a found
    builtin compadd -O found "$@"
    offered+=($found)
  fi
  builtin compadd "$@"
}
complete-and-report() {
  offered=()
  zle complete-word
  print -r -- "$BUFFER|$offered" >> $results
  BUFFER=
  print completed
}
zle -N complete-and-report
bindkey '\t' complete-and-report
print started
SETUP
zpty shell zsh -f -i
zpty -w shell 'source $setup'
zpty -r shell output '*started*'
for line; do
  zpty -w -n shell "$line"$'\t'
  zpty -r shell output '*completed*'
done
zpty -d shell
cat $results
rm $results $setup
