// Loaded into a program first: it then prints what it would print to a terminal.
process.stdout.isTTY = true;
