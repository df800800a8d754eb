// Preloaded into a program; makes it print as to a terminal.
process.stdout.isTTY = true;
