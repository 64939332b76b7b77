import { measurePeers, type PeerRow } from '../peers/measure.ts'
import { atMost, type Bar, type Outcome } from './outcome.ts'

const measuredAgainst = 'node-oidc-provider'
const bars: Readonly<Record<PeerRow['request'], number>> = {
  client_credentials: 0.65,
  'code exchange': 0.75,
  refresh: 0.75,
}

/** Tessera and its peers, in turn: see bench/peers. */
export async function peers(): Promise<Outcome> {
  const rows = await measurePeers()
  return {
    tables: [
      {
        title: 'Tessera and its peers',
        head: [
          'request',
          'of',
          'CPU, µs',
          'in signatures',
          'Tessera’s CPU by its',
          'per second',
          'p50, ms',
          'p99, ms',
        ],
        rows: rows
          .toSorted((a, b) => (a.request < b.request ? -1 : a.request > b.request ? 1 : 0))
          .map(cells),
      },
    ],
    bars: rows.filter(({ target }) => target === measuredAgainst).map(barOf),
    notes: [],
    figures: rows,
  }
}

/** Where signatures are dear, they alone may be more of the peer's CPU than the bar allows. */
function barOf({ request, tesseraBy, inSignatures }: PeerRow): Bar {
  const bar = atMost(
    `${request}, CPU beside ${measuredAgainst}`,
    tesseraBy,
    bars[request],
    `× ${measuredAgainst}`,
  )
  const alone = (request === 'client_credentials' ? 1 : 2) / inSignatures
  return { ...bar, why: `bare signatures alone ${alone.toFixed(2)} ×` }
}

function cells({
  request,
  target,
  version,
  cpu,
  inSignatures,
  tesseraBy,
  perSecond,
  p50,
  p99,
}: PeerRow): string[] {
  return [
    request,
    `${target} ${version}`,
    cpu.toFixed(0),
    inSignatures.toFixed(2),
    target === 'Tessera' ? '' : tesseraBy.toFixed(2),
    perSecond.toFixed(0),
    p50.toFixed(1),
    p99.toFixed(1),
  ]
}
