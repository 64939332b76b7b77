import { TransactionLock } from '../database/locks.ts'

/**
 * Exchanges of codes hold it together; what ends things that can no longer be used holds it alone. So an exchange is
 * either over, and its family there to be ended, or comes later and finds its code gone.
 */
export const exchanges = new TransactionLock(7_465_737_366)
