import type { MailData, MailKind, MailText, MailWords, SpanUnit, NoticeFact } from './kinds.ts'
import { shownTime, unitsOf } from './words/times.ts'

type Writers = { [K in MailKind]: (words: MailWords, data: MailData[K], service: string) => MailText }

/** What a mail of a kind says, in one language. `service` is what the service calls itself. */
export function mailText<K extends MailKind>(
  words: MailWords,
  kind: K,
  data: MailData[K],
  service: string,
): MailText {
  const written: Writers = writers
  return written[kind](words, data, service)
}

const span = ({ language, spans }: MailWords, count: number, unit: SpanUnit): string =>
  spans?.[unit](count) ?? unitsOf(language, count, unit)

const titled = (subject: string) => ({ subject, heading: subject })

/** One paragraph and a button, and how long its link works. */
const linking = ({ subject, before, button }: MailWords['recovery'], after: readonly string[]): MailText => ({
  ...titled(subject),
  before: [before],
  button,
  after,
})

function facts({ facts: terms, language }: MailWords, told: NoticeFact): NonNullable<MailText['facts']> {
  const known = (['browser', 'address', 'application'] as const).flatMap((name) => {
    const value = told[name]
    return value === undefined ? [] : [[terms[name], value] as const]
  })
  return [[terms.when, shownTime(language, told)], ...known]
}

const writers: Writers = {
  test: (words, { at }, service) => ({
    subject: words.test.subject(service),
    heading: words.test.heading,
    before: [words.test.before],
    facts: [[words.facts.when, shownTime(words.language, { at, zone: 'UTC' })]],
  }),
  password_reset: (words, { minutes }) =>
    linking(words.password_reset, [words.once(span(words, minutes, 'minute')), words.ignore]),
  recovery: (words, { minutes }) => linking(words.recovery, [words.once(span(words, minutes, 'minute'))]),
  invitation: (words, { inviter, to, days }) => ({
    ...titled(words.invitation.subject(to)),
    before: [words.invitation.before(inviter)],
    button: words.invitation.button,
    after: [words.once(span(words, days, 'day')), words.invitation.unexpected],
  }),
  enrolment_code: (words, { code, minutes }) => ({
    ...titled(words.enrolment_code.subject),
    before: [words.enrolment_code.before],
    code,
    after: [words.enrolment_code.counts(span(words, minutes, 'minute')), words.enrolment_code.alarm],
  }),
  guest_code: (words, { code, minutes, name }) => ({
    ...titled(words.enrolment_code.subject),
    before: [words.guest_code.before(name)],
    code,
    after: [words.enrolment_code.counts(span(words, minutes, 'minute')), words.guest_code.alarm],
  }),
  address_confirmation: (words, { hours }) =>
    linking(words.address_confirmation, [words.once(span(words, hours, 'hour')), words.ignore]),
  address_taken: ({ address_taken: { subject, before } }) => ({ ...titled(subject), before }),
  notice: (words, { days, ...told }) => ({
    ...titled(words.headings[told.event]),
    before: [words.events[told.event](told)],
    facts: facts(words, told),
    ...(days !== undefined && { button: words.notMe, after: [words.undo(span(words, days, 'day'))] }),
  }),
  notices: (words, { told, days }) => ({
    ...titled(words.notices.subject),
    before: [words.notices.before],
    facts: told.map((one) => [shownTime(words.language, one), words.events[one.event](one)] as const),
    button: words.notMe,
    after: [words.undoEach(span(words, days, 'day'))],
  }),
}
