/** `npm run bench -- peers`: the table alone. */
import { measurePeers, type PeerRow } from './measure.ts'
import { kinds } from './visits.ts'

export async function peers(): Promise<void> {
  process.stdout.write(peersTable(await measurePeers()))
}

/** A row for each request of each target, and Tessera's CPU as a part of each peer's. */
function peersTable(rows: readonly PeerRow[]): string {
  const lines = kinds.flatMap((kind) => rows.filter(({ request }) => request === kind).map(line))
  return `| request | of | CPU, µs | in signatures | Tessera's CPU / its | per second | p50, ms | p99, ms |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}
`
}

function line(row: PeerRow): string {
  const cells = [
    row.request,
    `${row.target} ${row.version}`,
    row.cpu.toFixed(0),
    row.inSignatures.toFixed(2),
    row.tesseraBy.toFixed(2),
    row.perSecond.toFixed(0),
    row.p50.toFixed(1),
    row.p99.toFixed(1),
  ]
  return `| ${cells.join(' | ')} |`
}
