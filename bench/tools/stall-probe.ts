// Loaded into a service by `--import`. On a message it sends the longest stall of the event loop since the last one.
import { watchStalls } from './stalls.ts';

const longestStall = watchStalls();
process.on('message', async () => process.send?.(await longestStall()));
// The service ends without its parent.
process.channel?.unref();
