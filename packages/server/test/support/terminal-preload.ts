// Loaded into a program first; makes it print as to a terminal.
process.stdout.isTTY = true;
