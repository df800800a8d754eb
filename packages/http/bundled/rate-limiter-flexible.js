// Only the parts that are used, because most of the limiters need modules of Node.
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';

export { RateLimiterRes };
