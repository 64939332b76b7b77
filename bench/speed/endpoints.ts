import { newFolder, remove, startService } from '../service.ts'
import { type Measured, measuredHead, measuredRow } from './measured.ts'
import { atLeast, atMost, type Bar, type Outcome, type Run } from './outcome.ts'
import { freePort } from '../../server/test/harness/process.ts'
import { measureInTurn } from './rounds.ts'

/** Enough that each takes a second. */
const counts = {
  client_credentials: 2400,
  'authorize with a session': 2400,
  'code exchange': 1200,
  refresh: 1200,
}
/** Others on the machine make one round a tenth dearer than the next. */
const rounds = 7

/** The requests that the service is there for, by 16 clients and by 64, with default settings on SQLite. */
export async function endpoints({ seed }: Run): Promise<Outcome> {
  const folder = newFolder()
  const service = await startService(await freePort(), folder)
  try {
    const subjects = [16, 64].map((connections) => ({ name: `${connections} clients`, service, connections }))
    const [few = [], many = []] = await measureInTurn(subjects, { counts, rounds, seed })
    return {
      tables: [
        { title: 'Requests by 16 clients', head: measuredHead, rows: few.map((one) => measuredRow(one)) },
        { title: 'Requests by 64 clients', head: measuredHead, rows: many.map((one) => measuredRow(one)) },
      ],
      bars: [...few.map(cpuBar), ...few.map(throughputBar), ...many.map(tailBar)],
      notes: [
        'CPU is that of all processes and threads of the service, by the scheduler’s count of ns.',
        'A signature is measured for 0.2 s just before and just after each row, and the ratio taken per round.',
        'The client is not counted as the service, so of the cores only what it and all others left is held against the throughput.',
      ],
      figures: { 16: few, 64: many },
    }
  } finally {
    await service.stop()
    remove(folder)
  }
}

function cpuBar({ kind, cpu, inSignatures }: Measured): Bar {
  if (kind === 'client_credentials') return atMost(`${kind}, CPU`, inSignatures, 1.35, '× one RSA signature')
  if (kind === 'authorize with a session') return atMost(`${kind}, CPU`, cpu / 1000, 0.5, 'ms')
  return atMost(`${kind}, CPU`, inSignatures / 2, 1.5, '× two RSA signatures')
}

/** Where others keep the cores busy there is little left to be used, and the figure tells little. */
function throughputBar({ kind, share, otherShare }: Measured): Bar {
  const bar = atLeast(`${kind}, throughput`, share, 0.85, '× what the cores allow')
  if (otherShare < 0.15) return bar
  return { ...bar, why: `on a machine of which others had ${(otherShare * 100).toFixed(0)} %` }
}

const tailBar = ({ kind, tail }: Measured) => atMost(`${kind}, p99 of 64 clients`, tail, 4, '× the median')
