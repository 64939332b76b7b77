/**
 * Loaded into the service from outside (`node --import`): SIGUSR2 starts a CPU profile of the main thread, a second
 * one writes it to TESSERA_TEST_PROFILE.
 */
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'

const session = new Session()
session.connect()
let running = false
process.on('SIGUSR2', () => {
  if (!running) {
    running = true
    session.post('Profiler.enable')
    session.post('Profiler.setSamplingInterval', { interval: 1000 })
    session.post('Profiler.start')
  } else {
    session.post('Profiler.stop', (error, { profile }) => {
      if (error) throw error
      writeFileSync(process.env.TESSERA_TEST_PROFILE, JSON.stringify(profile))
    })
  }
})
