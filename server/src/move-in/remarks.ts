import type { Remark } from './told.ts'

interface CountedRemark {
  section: Remark['section']
  what: string
  count: number
  examples: string[]
}

/** Examples that stand in the report. What somebody has to decide is listed, the rest is shown by a few. */
const most: Record<Remark['section'], number> = { came: 3, decide: 200, lost: 5 }

/** Counts what the report tells, each kind once. */
export class Remarks {
  readonly #counted = new Map<string, CountedRemark>()

  add({ section, what, example }: Pick<Remark, 'section' | 'what' | 'example'>): void {
    const counted = this.#counted.get(what) ?? { section, what, count: 0, examples: [] }
    counted.count++
    const isNew = counted.examples.length < most[section] && !counted.examples.includes(example)
    if (isNew) counted.examples.push(example)
    this.#counted.set(what, counted)
  }

  /** Kinds in the order in which they came. */
  of(section: Remark['section']): CountedRemark[] {
    return [...this.#counted.values()].filter((one) => one.section === section)
  }
}

const headings: Record<Remark['section'], string> = {
  decide: 'What you have to decide',
  lost: 'What does not come along',
  came: 'What comes along changed',
}

/** The report as Markdown. */
export function reportText(
  remarks: Remarks,
  { title, summary }: { title: string; summary: readonly string[] },
): string {
  const sections = (['decide', 'lost', 'came'] as const).flatMap((section) => {
    const all = remarks.of(section)
    return all.length === 0 ? [] : [`## ${headings[section]}\n\n${all.map(entryText).join('\n')}`]
  })
  return `${[`# ${title.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').replaceAll(/[`<>[\]()*_#!|\\]/g, '')}`, summary.map((one) => `- ${one}`).join('\n'), ...sections].join('\n\n')}\n`
}

function entryText({ what, count, examples }: CountedRemark): string {
  const shown = examples.map(codeSpan).join(', ')
  const rest = count > examples.length ? ', …' : ''
  return `- **${count.toLocaleString('en')}** × ${what} ${shown}${rest}`
}

/** Text of others as it is, whatever it holds: within backticks Markdown reads nothing, and it is one line. */
const codeSpan = (text: string): string =>
  `\`${text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll('`', "'")
    .slice(0, 200)}\``
