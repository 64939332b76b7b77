import type { MailWords } from '../kinds.ts'

/** The words of mails. */
export const fr: MailWords = {
  language: 'fr',
  greeting: (name) => `Bonjour ${name},`,
  address: 'Si le bouton ne fait rien, ouvrez cette adresse :',
  footer: (issuer) => `Ce message a été envoyé par ${issuer}.`,
  once: (until) => `Le lien fonctionne une seule fois, pendant ${until}.`,
  ignore: 'Si ce n’était pas vous, vous n’avez rien à faire : sans le lien, rien ne change.',
  facts: { when: 'Quand', browser: 'Navigateur', address: 'Adresse réseau', application: 'Application' },
  notMe: 'Ce n’était pas moi',
  undo: (until) =>
    `Si c’était vous, vous n’avez rien à faire. Sinon, appuyez sur le bouton dans les ${until} : cela annule l’opération, vous déconnecte partout et invalide votre mot de passe, pour que vous en choisissiez un nouveau.`,
  undoEach: (until) =>
    `Si c’était vous, vous n’avez rien à faire. Sinon, appuyez sur le bouton dans les ${until} : cela annule chacune de ces opérations, vous déconnecte partout et invalide votre mot de passe, pour que vous en choisissiez un nouveau. Vérifiez ensuite vos seconds facteurs.`,

  test: {
    subject: (service) => `${service} : un test`,
    heading: 'Les messages arrivent',
    before: 'Quelqu’un qui exploite ce service voulait voir si les messages arrivent. C’est le cas.',
  },
  password_reset: {
    subject: 'Choisir un nouveau mot de passe',
    before: 'Quelqu’un a demandé un nouveau mot de passe pour votre compte.',
    button: 'Choisir un nouveau mot de passe',
  },
  recovery: {
    subject: 'Un moyen de retrouver votre compte',
    before: 'L’administration vous permet de choisir un nouveau mot de passe.',
    button: 'Choisir un nouveau mot de passe',
  },
  invitation: {
    subject: (to) => `Vous êtes invité : ${to}`,
    before: (inviter) => `${inviter} vous invite.`,
    button: 'Accepter l’invitation',
    unexpected: 'Si vous n’attendiez pas d’invitation, vous n’avez rien à faire.',
  },
  enrolment_code: {
    subject: 'Votre code',
    before: 'Saisissez ce code dans le navigateur où vous configurez un second facteur.',
    counts: (until) => `Il est valable ${until}, dans ce navigateur seulement.`,
    alarm:
      'Si vous n’êtes pas en train de vous connecter, quelqu’un connaît votre mot de passe : changez-le. Ne donnez ce code à personne.',
  },
  guest_code: {
    before: (name) => `Saisissez ce code dans le navigateur où vous vous connectez par ${name}.`,
    alarm:
      'Si vous n’êtes pas en train de vous connecter, quelqu’un a indiqué votre adresse : vous n’avez rien à faire. Ne donnez ce code à personne.',
  },
  address_confirmation: {
    subject: 'Confirmer votre adresse',
    before: 'Quelqu’un souhaite que cette adresse soit celle de son compte.',
    button: 'Confirmer l’adresse',
  },
  address_taken: {
    subject: 'Quelqu’un voulait utiliser votre adresse',
    before: [
      'Quelqu’un souhaitait que cette adresse soit celle de son compte. C’est celle du vôtre, donc rien n’a changé.',
      'Si c’était vous, connectez-vous au compte que vous avez déjà.',
    ],
  },
  notices: {
    subject: 'D’autres choses se sont passées dans votre compte',
    before: 'Il s’est passé beaucoup de choses en un jour : elles sont dans un seul message.',
  },
  headings: {
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
    link_created: 'Un autre accès à votre compte',
    link_removed: 'Un accès à votre compte a été supprimé',
    break_glass_used: 'Un accès de secours a été utilisé',
    break_glass_changed: 'L’accès de secours a été modifié',
    domain_gained: 'Votre organisation a un domaine de plus',
    domain_lost: 'Votre organisation n’a plus un domaine',
    sync_stopped: 'Les personnes d’un fournisseur ne sont plus vérifiées',
    setup_opened: 'Votre lien de configuration a été ouvert',
    setup_handed_in: 'Une configuration a été remise',
  },
  events: {
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
    link_created: ({ name }) =>
      `Votre compte est maintenant relié à ${name} : qui s’y connecte peut se connecter à votre compte.`,
    link_removed: ({ name }) =>
      `Votre compte n’est plus relié à ${name} : personne ne s’y connecte plus par là.`,
    break_glass_used: ({ name }) =>
      `${name} s’est connecté sans le service de connexion de l’organisation, par l’accès de secours prévu en cas de panne. Vous recevez ce message parce que vous administrez l’organisation ou l’installation. Si vous n’attendiez pas cette connexion, renseignez-vous et désactivez le compte.`,
    break_glass_changed: ({ name }) =>
      `Les personnes qui peuvent entrer quand le service de connexion de l’organisation est en panne ont changé. Ce sont maintenant : ${name}.`,
    domain_gained: ({ name }) =>
      `Le domaine ${name} est passé d’une autre organisation à la vôtre : son enregistrement DNS désigne maintenant la vôtre. Qui se connecte avec une adresse de ce domaine arrive chez votre fournisseur.`,
    domain_lost: ({ name }) =>
      `Le domaine ${name} appartient désormais à une autre organisation : son enregistrement DNS désigne celle-ci, et le vôtre a disparu. Les personnes reliées le restent, et aucune ne s’ajoute. Si ce n’est pas voulu, adressez-vous à qui gère le DNS du domaine.`,
    sync_stopped: ({ name }) =>
      `La vérification horaire des départs de ${name} a été arrêtée : elle a échoué, ou bien plus de personnes que d’habitude manquent. Personne n’a été exclu pour cela, et qui part ne l’est pas tant qu’elle n’a pas réussi. Le fournisseur indique ce qui ne va pas : tessera attention, ou la console.`,
    setup_opened: ({ name }) =>
      `Quelqu’un a commencé avec le lien de configuration que vous avez créé pour ${name}. Il ne compte plus que dans son navigateur. Si ce ne devait pas être cette personne, retirez-le.`,
    setup_handed_in: ({ name }) =>
      `Ce qui a été saisi avec le lien de configuration que vous avez créé pour ${name} a été remis. Rien n’en compte avant qu’une personne autorisée le regarde et le confirme : dans la console ou par tessera upstream confirm.`,
  },
}
