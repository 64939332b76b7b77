import type { MailText, MailWords, NoticeEvent, Told } from '../kinds.ts'
import { shownTime, unitsOf } from './times.ts'

const language = 'fr'
const minutes = (count: number) => unitsOf(language, count, 'minute')
const hours = (count: number) => unitsOf(language, count, 'hour')
const days = (count: number) => unitsOf(language, count, 'day')

const once = (until: string) => `Le lien fonctionne une seule fois, pendant ${until}.`
const ignore = 'Si ce n’était pas vous, vous n’avez rien à faire : sans le lien, rien ne change.'

const events: Record<NoticeEvent, (told: Told) => string> = {
  new_device: () =>
    'Quelqu’un s’est connecté à votre compte dans un navigateur qui n’avait pas encore servi à cela.',
  password_changed: ({ byAdministrator }) =>
    byAdministrator
      ? 'L’administration a donné un autre mot de passe à votre compte.'
      : 'Votre mot de passe a été modifié.',
  factor_created: ({ name }) => `Un second facteur a été configuré pour votre compte : « ${name} ».`,
  factor_removed: ({ name, byAdministrator }) =>
    byAdministrator
      ? `L’administration a supprimé un second facteur de votre compte : « ${name} ».`
      : `Un second facteur de votre compte a été supprimé : « ${name} ».`,
  factor_suspended: ({ name }) =>
    `Un second facteur de votre compte a été suspendu : « ${name} ». Il y a eu trop de codes erronés, ou il en existe peut-être une copie.`,
  recovery_codes_created: () =>
    'De nouveaux codes de secours ont été créés pour votre compte. Les précédents ne comptent plus.',
  recovery_code_used: () => 'Un code de secours de votre compte a été utilisé.',
  second_factor_failed: () =>
    'Quelqu’un a saisi votre mot de passe, puis plusieurs codes erronés. Cette personne connaît votre mot de passe : changez-le.',
  address_requested: ({ name }) =>
    `Quelqu’un a demandé que votre compte reçoive l’adresse ${name}. Elle n’a pas encore changé.`,
  address_changed: ({ name }) => `L’adresse de votre compte est maintenant ${name}.`,
  deletion_requested: () =>
    'Vous avez demandé la suppression de votre compte. Il est désactivé et sera supprimé après 14 jours.',
  deletion_undone: () => 'Votre compte n’est pas supprimé : cela a été annulé. Il compte comme avant.',
}

const headings: Record<NoticeEvent, string> = {
  new_device: 'Une nouvelle connexion à votre compte',
  password_changed: 'Votre mot de passe a été modifié',
  factor_created: 'Un second facteur a été configuré',
  factor_removed: 'Un second facteur a été supprimé',
  factor_suspended: 'Un second facteur a été suspendu',
  recovery_codes_created: 'Vous avez de nouveaux codes de secours',
  recovery_code_used: 'Un code de secours a été utilisé',
  second_factor_failed: 'Quelqu’un connaît peut-être votre mot de passe',
  address_requested: 'Votre adresse va changer',
  address_changed: 'Votre adresse a été modifiée',
  deletion_requested: 'Votre compte sera supprimé',
  deletion_undone: 'Votre compte reste',
}

const facts = (told: Told) => [
  ['Quand', shownTime(language, told)] as const,
  ...(told.browser === undefined ? [] : [['Navigateur', told.browser] as const]),
  ...(told.address === undefined ? [] : [['Adresse réseau', told.address] as const]),
  ...(told.application === undefined ? [] : [['Application', told.application] as const]),
]

const notMe = (count: number): Pick<MailText, 'button' | 'after'> => ({
  button: 'Ce n’était pas moi',
  after: [
    `Si c’était vous, vous n’avez rien à faire. Sinon, appuyez sur le bouton dans les ${days(count)} : cela annule l’opération, vous déconnecte partout et invalide votre mot de passe, pour que vous en choisissiez un nouveau.`,
  ],
})

/** The words of mails. */
export const fr: MailWords = {
  greeting: (name) => `Bonjour ${name},`,
  address: 'Si le bouton ne fait rien, ouvrez cette adresse :',
  footer: (issuer) => `Ce message a été envoyé par ${issuer}.`,

  test: ({ at }, service) => ({
    subject: `${service} : un test`,
    heading: 'Les messages arrivent',
    before: ['Quelqu’un qui exploite ce service voulait voir si les messages arrivent. C’est le cas.'],
    facts: [['Quand', shownTime(language, { at, zone: 'UTC' })]],
  }),
  password_reset: (data) => ({
    subject: 'Choisir un nouveau mot de passe',
    heading: 'Choisir un nouveau mot de passe',
    before: ['Quelqu’un a demandé un nouveau mot de passe pour votre compte.'],
    button: 'Choisir un nouveau mot de passe',
    after: [once(minutes(data.minutes)), ignore],
  }),
  recovery: (data) => ({
    subject: 'Un moyen de retrouver votre compte',
    heading: 'Un moyen de retrouver votre compte',
    before: ['L’administration vous permet de choisir un nouveau mot de passe.'],
    button: 'Choisir un nouveau mot de passe',
    after: [once(minutes(data.minutes))],
  }),
  invitation: ({ inviter, to, days: count }) => ({
    subject: `Vous êtes invité : ${to}`,
    heading: `Vous êtes invité : ${to}`,
    before: [`${inviter} vous invite.`],
    button: 'Accepter l’invitation',
    after: [once(days(count)), 'Si vous n’attendiez pas d’invitation, vous n’avez rien à faire.'],
  }),
  enrolment_code: ({ code, minutes: count }) => ({
    subject: 'Votre code',
    heading: 'Votre code',
    before: ['Saisissez ce code dans le navigateur où vous configurez un second facteur.'],
    code,
    after: [
      `Il est valable ${minutes(count)}, dans ce navigateur seulement.`,
      'Si vous n’êtes pas en train de vous connecter, quelqu’un connaît votre mot de passe : changez-le. Ne donnez ce code à personne.',
    ],
  }),
  address_confirmation: ({ hours: count }) => ({
    subject: 'Confirmer votre adresse',
    heading: 'Confirmer votre adresse',
    before: ['Quelqu’un souhaite que cette adresse soit celle de son compte.'],
    button: 'Confirmer l’adresse',
    after: [once(hours(count)), ignore],
  }),
  address_taken: () => ({
    subject: 'Quelqu’un voulait utiliser votre adresse',
    heading: 'Quelqu’un voulait utiliser votre adresse',
    before: [
      'Quelqu’un souhaitait que cette adresse soit celle de son compte. C’est celle du vôtre, donc rien n’a changé.',
      'Si c’était vous, connectez-vous au compte que vous avez déjà.',
    ],
  }),
  notice: ({ days: count, ...told }) => ({
    subject: headings[told.event],
    heading: headings[told.event],
    before: [events[told.event](told)],
    facts: facts(told),
    ...(count === undefined ? {} : notMe(count)),
  }),
  notices: ({ told, days: count }) => ({
    subject: 'D’autres choses se sont passées dans votre compte',
    heading: 'D’autres choses se sont passées dans votre compte',
    before: ['Il s’est passé beaucoup de choses en un jour : elles sont dans un seul message.'],
    facts: told.map((one) => [shownTime(language, one), events[one.event](one)] as const),
    button: 'Ce n’était pas moi',
    after: [
      `Si c’était vous, vous n’avez rien à faire. Sinon, appuyez sur le bouton dans les ${days(count)} : cela annule chacune de ces opérations, vous déconnecte partout et invalide votre mot de passe, pour que vous en choisissiez un nouveau. Vérifiez ensuite vos seconds facteurs.`,
    ],
  }),
}
