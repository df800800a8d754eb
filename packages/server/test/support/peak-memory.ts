// Loaded into a command first; at its end, writes the peak RSS in bytes.
import { writeFileSync } from 'node:fs';

const file = process.env['PEAK_MEMORY_FILE'];
process.on('exit', () => {
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
});
