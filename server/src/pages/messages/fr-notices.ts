import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'Ce n’était pas moi',
    heading: 'Ce n’était pas vous ?',
    lead: 'Dans ce cas, quelqu’un d’autre était dans votre compte. Appuyez sur le bouton, et voici ce qui se passe aussitôt :',
    undone: {
      address_requested:
        'L’autre adresse ne compte plus ; si elle compte déjà, votre adresse redevient celle qui a reçu ce message.',
      address_changed:
        'Votre adresse redevient celle qui a reçu ce message, et les seconds facteurs redeviennent ce qu’ils étaient.',
      factor_created: 'Le second facteur qui a été configuré est supprimé.',
      factor_removed: 'Le second facteur qui a été supprimé revient.',
      recovery_codes_created: 'Les nouveaux codes de secours ne comptent plus.',
      deletion_requested: 'Votre compte n’est pas supprimé et compte de nouveau.',
      link_created: 'La connexion qui a été reliée est supprimée, et ce qui en venait prend fin.',
    },
    undoneEach: {
      factor_created: 'Les seconds facteurs qui ont été configurés sont supprimés.',
      factor_removed: 'Les seconds facteurs qui ont été supprimés reviennent.',
    },
    later:
      'Les autres modifications de votre adresse et de vos seconds facteurs depuis lors sont annulées aussi.',
    stands:
      'Ce qu’un administrateur a défini depuis, ou vous-même avec un lien reçu par e-mail, reste tel quel.',
    signsOut: 'Vous êtes déconnecté partout, dans chaque navigateur et chaque application.',
    voids:
      'Votre mot de passe est invalidé, pour que personne ne se connecte avec. Vous en choisissez ensuite un nouveau.',
    submit: 'Ce n’était pas moi',
    wasMe: 'Si c’était vous, fermez cette page. Rien n’a changé.',
    doneHeading: 'Votre compte est en sécurité pour l’instant',
    done: 'Plus personne n’y est connecté, et le mot de passe est invalidé. Choisissez-en un nouveau : là où vous vous connectez, indiquez que vous l’avez oublié, ou adressez-vous aux personnes qui exploitent ce service. Vérifiez ensuite vos seconds facteurs.',
    endedHeading: 'Ce lien n’est plus utilisable',
    ended:
      'Il a été utilisé, ou il date de plus de sept jours. Si quelqu’un d’autre est dans votre compte, choisissez un nouveau mot de passe et adressez-vous aux personnes qui exploitent ce service.',
    account: 'Vers votre compte',
  },
}
