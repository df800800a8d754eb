// Preloaded into a program; makes it print what it would print to a terminal.
process.stdout.isTTY = true;
