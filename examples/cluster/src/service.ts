import { runService } from './run-service.ts';

runService();
