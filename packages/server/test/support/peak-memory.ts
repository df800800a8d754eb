// Preloaded into a command; writes the peak RSS in bytes when the command ends.
import { writeFileSync } from 'node:fs';

const file = process.env['PEAK_MEMORY_FILE'];
process.on('exit', () => {
  if (file !== undefined) writeFileSync(file, String(process.resourceUsage().maxRSS * 1024));
});
