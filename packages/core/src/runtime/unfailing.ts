import { wrapMethods } from './wrap-methods.ts';

/**
 * Wraps an observer of the work, such as a logger, so that its methods never throw, because a failure to log
 * or to count must not stop the work.
 */
export function unfailing<Observer extends object>(observer: Observer): Observer {
  return wrapMethods(observer, (_name, method) => (...args) => {
    try {
      return method(...args);
    } catch {
      // There is nowhere to report the failure.
      return undefined;
    }
  });
}
