import { randomFrom } from '../history.ts'
import { median } from './outcome.ts'

/** A ratio, and where it lies 95 of 100 times when rounds are drawn at random from those that there were. */
export interface Ratio {
  median: number
  from: number
  to: number
  pairs: number
}

const resamples = 2000

/** By the cheapest tenth of each: of goes that are short, some are disturbed by nobody. */
export function ratioOfCheapest(some: readonly number[], others: readonly number[]): Ratio {
  const random = randomFrom(1)
  const drawn = (all: readonly number[]) =>
    all.map(() => all[Math.floor(random() * all.length)] ?? Number.NaN)
  const ratios = Array.from({ length: resamples }, () => cheapest(drawn(some)) / cheapest(drawn(others)))
  return { median: cheapest(some) / cheapest(others), ...middleOf(ratios), pairs: some.length }
}

/** What nine of ten are dearer than. */
export function cheapest(all: readonly number[]): number {
  return all.toSorted((one, other) => one - other)[Math.floor(all.length / 10)] ?? Number.NaN
}

/** Each of `some` by its neighbour in `others`. What others do on the machine meanwhile, both of a pair have alike. */
export function ratioOf(some: readonly number[], others: readonly number[]): Ratio {
  const ratios = some.map((one, index) => one / (others[index] ?? Number.NaN))
  const random = randomFrom(1)
  const drawn = () => ratios[Math.floor(random() * ratios.length)] ?? Number.NaN
  const medians = Array.from({ length: resamples }, () => median(ratios.map(drawn)))
  return { median: median(ratios), ...middleOf(medians), pairs: ratios.length }
}

/** Where 95 of 100 lie. */
function middleOf(all: readonly number[]): Pick<Ratio, 'from' | 'to'> {
  const sorted = all.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.floor(part * (all.length - 1))] ?? Number.NaN
  return { from: at(0.025), to: at(0.975) }
}

/** In percent above (or below) what it is compared with. */
export function percent({ median: middle, from, to }: Ratio): string {
  const said = (ratio: number) => `${ratio < 1 ? '−' : '+'}${(Math.abs(ratio - 1) * 100).toFixed(2)} %`
  return `${said(middle)} (${said(from)} to ${said(to)})`
}
