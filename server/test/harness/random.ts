import fc from 'fast-check'

/**
 * A counterexample is told as it was found, with its seed: to look for a smaller one takes hours where each try is a
 * database or a request. And a machine that is slow tries less.
 */
fc.configureGlobal({ endOnFailure: true, interruptAfterTimeLimit: 60_000 })
