// Loaded into a program before anything else: it prints what it would print to a terminal.
process.stdout.isTTY = true;
