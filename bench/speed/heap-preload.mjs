/**
 * Loaded into the service from outside (`node --expose-gc --import`): SIGUSR2 collects all garbage and writes what is
 * left to TESSERA_TEST_HEAP.
 */
import { renameSync, writeFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  for (let times = 0; times < 3; times++) globalThis.gc()
  const file = process.env.TESSERA_TEST_HEAP
  writeFileSync(`${file}.new`, JSON.stringify(process.memoryUsage()))
  renameSync(`${file}.new`, file)
})
