import { kindPatternProblem } from '../protocol/event-kinds.ts'
import { textProblem } from '../protocol/values.ts'
import { checkedText, flag, listOf, uuid } from './kinds.ts'
import { defined, time } from './thing.ts'

const kindPattern = checkedText({ problem: kindPatternProblem, most: 100 })

const lineProblem = textProblem(200)
/** Whoever gave one may take it away again. */
const line = checkedText({ problem: (value) => (value === '' ? undefined : lineProblem(value)), most: 200 })

/** The declared file knows of none. Where its URL may lead is for the settings to say. */
export const webhook = defined({
  uuid: { kind: uuid, set: 'never' },
  url: {
    kind: checkedText({ problem: () => undefined, most: 2000, format: 'uri' }),
    description: 'https, and no private address.',
  },
  description: { kind: line, initial: '' },
  kinds: {
    kind: listOf(kindPattern, { most: 100, emptyProblem: 'It names one kind at least.' }),
    description: 'Kinds of docs/audit.md; `user.*` is all of users, `*` everything.',
  },
  active: { kind: flag, initial: true, description: 'Nothing is sent to a disabled one.' },
  organisation_uuid: {
    kind: uuid,
    set: 'at creation',
    nullable: true,
    description:
      'It is sent records of this organisation alone; without it, of the whole installation. Never changes.',
  },
  created_at: time,
  updated_at: time,
})
