import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import type { Messages } from './en.ts'
import { details, errors, situations } from './fr-errors.ts'
import { factors } from './fr-factors.ts'
import { people } from './fr-people.ts'
import { notices } from './fr-notices.ts'
import { phrase } from './phrase.ts'
import { recovery } from './fr-recovery.ts'
import { trial } from './fr-trial.ts'
import { connect } from './fr-connect.ts'
import { upstream } from './fr-upstream.ts'

export const fr: Messages = {
  common: {
    errorPrefix: 'Erreur :',
    request: 'Demande',
    cancel: 'Annuler',
    continue: 'Continuer',
    useAnotherAccount: 'Utiliser un autre compte',
    signedInAs: (account: Child) => phrase`Connecté en tant que ${account}`,
    newTab: '(s’ouvre dans un nouvel onglet)',
    language: 'Langue',
    help: 'Aide',
    privacy: 'Confidentialité',
    terms: 'Conditions',
    showPassword: 'Afficher',
    hidePassword: 'Masquer',
    copy: 'Copier',
    copied: 'Copié',
  },
  front: {
    signIn: 'Connectez-vous pour voir vos applications et votre compte',
    title: 'Connexion et accès',
    heading: 'Connexion et accès',
    text: 'Les applications vous envoient ici pour vous connecter. Ouvrez donc l’application que vous voulez utiliser : à cette adresse même, il n’y a rien à quoi se connecter.',
    developers: 'Pour le développement',
    issuer: 'Émetteur (issuer)',
    description: 'Description de l’interface, à lire et à essayer',
    discovery: 'Document de découverte',
  },
  password: {
    title: (client: string) => `Se connecter à ${client}`,
    heading: 'Se connecter',
    lead: (client: Child) => phrase`pour continuer vers ${client}`,
    againHeading: 'Veuillez vous reconnecter',
    againLead: (account: Child, client: Child) =>
      phrase`${account}, veuillez confirmer que c’est bien vous avant de continuer vers ${client}.`,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    missingEmail: 'Saisissez votre adresse e-mail.',
    missingPassword: 'Saisissez votre mot de passe.',
    wrongCredentials:
      'Cette adresse e-mail et ce mot de passe ne vont pas ensemble. Vérifiez les deux et réessayez.',
    tooManyAttempts: (seconds: number) =>
      `Il y a eu trop de tentatives de connexion. Veuillez réessayer dans ${duration('fr', seconds)}.`,
    busy: (seconds: number) =>
      `Beaucoup de personnes se connectent en ce moment. Veuillez réessayer dans ${duration('fr', seconds)}.`,
    passkey: 'Se connecter avec une clé d’accès',
    passkeyFailed:
      'Aucune clé d’accès n’a été utilisée. Réessayez, ou connectez-vous avec votre mot de passe.',
    passkeyRefused:
      'Cette clé d’accès n’a pas été acceptée. Connectez-vous avec votre mot de passe ou avec une autre clé d’accès.',
    passkeyNeeds: 'Pour vous connecter avec une clé d’accès, activez JavaScript dans votre navigateur.',
  },
  firstAdministrator: {
    title: 'Configurer l’administration',
    heading: 'Configurer l’administration',
    lead: 'La personne que vous indiquez ici administre toute l’installation. Cette page ne peut servir qu’une fois.',
    name: 'Votre nom',
    email: 'Votre adresse e-mail',
    password: 'Un mot de passe',
    passwordHint: (least: number, most: number) =>
      `De ${least} à ${most} caractères. Le mieux : plusieurs mots.`,
    again: 'Le mot de passe encore une fois',
    submit: 'Configurer',
    wrongName: {
      missing: 'Saisissez votre nom.',
      wrong: 'Saisissez un nom de 200 caractères au plus, sans caractères invisibles.',
    },
    wrongEmail: {
      missing: 'Saisissez votre adresse e-mail.',
      wrong: 'Saisissez une adresse e-mail, par exemple lena.hoff@example.com.',
      taken: 'Cette adresse e-mail appartient déjà à quelqu’un. Saisissez-en une autre.',
    },
    wrongPassword: (least: number, most: number) => ({
      missing: 'Saisissez un mot de passe.',
      too_short: `Le mot de passe doit avoir au moins ${least} caractères.`,
      too_long: `Le mot de passe peut avoir au plus ${most} caractères.`,
      untypable: 'Le mot de passe contient un caractère qui ne peut pas être tapé.',
      too_common:
        'C’est l’un des mots de passe que l’on essaie en premier. Prenez plusieurs mots, ou celui que propose un gestionnaire de mots de passe.',
      differs: 'Les deux mots de passe ne sont pas identiques. Saisissez-les encore une fois.',
    }),
  },
  firstAdministratorMade: {
    steps: 'Vos premiers pas',
    secure: (link: Child) => phrase`Vous êtes connecté : ${link}.`,
    secureLink: 'configurez un second facteur',
    manage: (link: Child) => phrase`Gérez les personnes et les applications dans ${link}.`,
    manageLink: 'la console',
    registerLink: 'Connectez une application',
    register: (command: Child) =>
      phrase`Enregistrez une application : ${command} en connaît beaucoup par leur nom.`,
    peopleLink: 'Invitez quelqu’un',
    people: (command: Child) => phrase`Ajoutez des personnes : ${command}.`,
    title: 'L’administration est configurée',
    heading: 'Vous administrez cette installation',
    text: (email: Child) =>
      phrase`Désormais, ${email} se connecte avec le mot de passe que vous venez de choisir.`,
    next: (description: Child) =>
      phrase`Cette page ne peut plus servir. Ce que vous pouvez désormais administrer, par la commande ou par l’interface, se trouve dans la ${description}.`,
    description: 'description de l’interface',
  },
  chooseProfile: {
    title: (client: string) => `Choisir un profil pour ${client}`,
    heading: 'Choisir un profil',
    lead: (client: Child) => phrase`Il détermine ce que vous voyez et pouvez faire dans ${client}.`,
    legend: 'Vos profils',
    last: 'Utilisé en dernier',
    notAvailable: 'Ce profil n’est plus disponible. Choisissez-en un autre.',
  },
  consent: {
    title: (client: string) => `Autoriser ${client} ?`,
    heading: (client: Child) => phrase`Autoriser ${client} à utiliser votre compte ?`,
    scopesHeading: (client: Child) => phrase`Ce que ${client} recevra`,
    scopes: {
      openid: {
        label: 'Qui vous êtes ici',
        text: 'Un identifiant de votre compte et le profil que vous utilisez : rôle, organisation et unité.',
      },
      email: { label: 'Votre adresse e-mail', text: 'L’adresse, et si elle a été confirmée.' },
      profile: {
        label: 'Vos données personnelles',
        text: 'Nom, nom d’utilisateur, image, langue et fuseau horaire, s’ils sont connus.',
      },
      'service.api': {
        label: 'Accès à des services en votre nom',
        text: 'Ce qui figure ci-dessous, pour autant que le profil que vous utilisez le permette.',
      },
      groups: {
        label: 'Vos groupes',
        text: 'Des noms sous lesquels l’application vous classe : d’après votre rôle, votre organisation ou ce que vous pouvez faire.',
      },
      offline_access: {
        label: 'Accès en votre absence',
        text: 'Elle peut renouveler ce qu’elle a reçu jusqu’à ce que vous vous déconnectiez.',
      },
    },
    more: (client: Child) => phrase`Vous avez déjà autorisé ${client}. Ce qui est nouveau est signalé.`,
    isNew: 'Nouveau',
    administration: 'Administration de ce service',
    nothingThere: 'Elle peut appeler ce service, et n’y a aucune autorisation.',
    moreThere: (count: number) => `${count} de plus`,
    onwardHeading: 'Ce que ces services peuvent faire ailleurs en votre nom',
    otherPlaces: 'Elle peut aussi envoyer votre navigateur à',
    actions: { read: 'voir', create: 'ajouter', update: 'modifier', delete: 'supprimer' },
    resources: {
      users: 'Personnes',
      organisations: 'Organisations',
      units: 'Unités',
      profiles: 'Profils',
      roles: 'Rôles',
      permissions: 'Autorisations',
      services: 'Services',
      clients: 'Applications et machines',
      sessions: 'Sessions',
      consents: 'Consentements',
      keys: 'Clés de signature',
      audit: 'Audit',
      access: 'Accès',
      invitations: 'Invitations',
      mails: 'E-mails',
      webhooks: 'Webhooks',
    },
    claims: {
      email: 'Votre adresse e-mail',
      name: 'Votre nom complet',
      given_name: 'Votre prénom',
      family_name: 'Votre nom de famille',
      preferred_username: 'Votre nom d’utilisateur',
      picture: 'L’adresse de votre image',
      locale: 'Votre langue',
      zoneinfo: 'Votre fuseau horaire',
      former_sub: 'Votre identifiant auprès du service précédent',
      groups: 'Vos groupes',
    },
    permissionsAt: (service: Child) => phrase`Ce que le profil que vous utilisez permet dans ${service}`,
    unknownScope: 'Une autorisation supplémentaire de ce nom.',
    documentAt: (host: Child) => phrase`Elle vient de ${host}. N’autorisez que ce que vous avez lancé.`,
    toProgram: 'Ce que vous autorisez va à un programme sur cet ordinateur.',
    returnTo: (host: Child) => phrase`Votre navigateur retourne ensuite à ${host}.`,
    publisher: (name: Child) => phrase`Publiée par ${name}`,
    about: (link: Child) => phrase`À propos de cette application : ${link}`,
    withdraw: (page: Child) => phrase`Vous pouvez retirer cet accord à tout moment : ${page}.`,
    allow: 'Autoriser',
    deny: 'Ne pas autoriser',
  },
  device: {
    title: 'Connecter un appareil',
    heading: 'Connecter un appareil',
    lead: 'Saisissez le code qu’affiche votre appareil ou votre programme.',
    code: 'Code',
    hint: 'Huit lettres, par exemple BCDF-GHJK.',
    missing: 'Saisissez le code.',
    unknown:
      'Ce code n’existe pas, ou il a expiré. Comparez-le avec votre appareil, ou recommencez sur celui-ci.',
    tooMany: (seconds: number) =>
      `Il y a eu trop de codes faux. Veuillez réessayer dans ${duration('fr', seconds)}.`,
    note: 'Votre accord vous sera demandé avant que l’appareil ne reçoive quoi que ce soit.',
  },
  confirmDevice: {
    title: (client: string) => `Autoriser ${client} sur un appareil ?`,
    heading: (client: Child) => phrase`Autoriser ${client}, sur un appareil, à utiliser votre compte ?`,
    compare: 'Votre appareil doit afficher exactement ce code :',
    warning: 'Ne continuez que si vous avez commencé cela vous-même, sur votre propre appareil.',
    why: (client: Child) =>
      phrase`Si quelqu’un vous a envoyé le code ou un lien vers cette page, c’est pour utiliser ${client} en votre nom.`,
  },
  deviceDone: {
    allowed: {
      title: 'Votre appareil est connecté',
      heading: 'Votre appareil est connecté',
      text: 'Continuez sur votre appareil. Vous pouvez maintenant fermer cette page.',
    },
    denied: {
      title: 'Rien n’a été autorisé',
      heading: 'Rien n’a été autorisé',
      text: 'L’appareil n’a pas accès à votre compte. Vous pouvez maintenant fermer cette page.',
    },
    allowedBefore: {
      title: 'Cet appareil avait déjà été autorisé',
      heading: 'Cet appareil avait déjà été autorisé',
      text: 'Il a déjà son accès : vous, ou quelqu’un d’autre, l’avez autorisé. Votre refus n’a rien changé. Si vous l’avez autorisé par erreur, retirez cet accès dans votre compte.',
    },
  },
  signedOut: {
    title: 'Déconnecté',
    heading: 'Vous êtes déconnecté',
    text: 'Votre session est terminée. Vous pouvez maintenant fermer cette page.',
    shared: 'Si d’autres personnes utilisent cet ordinateur, fermez aussi toutes les fenêtres du navigateur.',
    again: 'Se reconnecter',
  },
  confirmLogout: {
    title: 'Se déconnecter ?',
    heading: 'Voulez-vous vous déconnecter ?',
    text: 'Ceci met fin à votre session dans ce navigateur, et avec elle à votre connexion à toutes les applications que vous avez ouvertes d’ici.',
    textClient: (client: Child) =>
      phrase`Ceci met fin à votre session dans ce navigateur, et avec elle à votre connexion à ${client} et à toutes les autres applications que vous avez ouvertes d’ici.`,
    textHere: (client: Child) =>
      phrase`Ceci met fin à votre connexion à ${client} dans ce navigateur. Vous restez connecté à toutes les autres applications.`,
    submit: 'Se déconnecter',
    stay: 'Rester connecté',
  },
  noProfile: {
    title: 'Pas encore d’accès',
    heading: 'Vous n’avez pas encore accès',
    text: (account: Child, client: Child) =>
      phrase`Vous êtes connecté en tant que ${account}, mais personne n’a donné de profil à ce compte. Sans profil, vous ne pouvez pas utiliser ${client}.`,
    textElsewhere: (account: Child, client: Child) =>
      phrase`Vous êtes connecté en tant que ${account}, et aucun de vos profils n’est dans l’organisation à laquelle appartient ${client}.`,
    textShut: (account: Child, client: Child) =>
      phrase`Vous êtes connecté en tant que ${account}, et aucun de vos profils n’ouvre ${client}.`,
    textWaits: (account: Child, client: Child) =>
      phrase`Vous êtes connecté en tant que ${account}, dont les profils attendent : personne n’a encore montré que ce compte est le vôtre. Faites-vous envoyer un lien et définissez un nouveau mot de passe. Vous pourrez ensuite utiliser ${client}.`,
    sendLink: 'M’envoyer le lien',
    whoGives: 'Toute personne ayant l’un de ces rôles peut vous donner accès :',
    ask: 'Demandez à la personne qui gère les accès dans votre organisation de donner un profil à ce compte. Le numéro de demande au bas de cette page l’aide à s’y retrouver.',
    continue: (client: Child) => phrase`Retourner à ${client}`,
  },
  formPost: {
    title: (place: string) => `Retour à ${place}`,
    heading: 'Retour à l’application',
    text: (place: Child) =>
      phrase`Votre navigateur retourne à ${place}. Si cela ne se fait pas tout seul, appuyez sur le bouton.`,
  },
  ...factors,
  ...notices,
  ...recovery,
  ...people,
  ...upstream,
  ...trial,
  ...connect,
  errorPage: {
    technical: 'Détails techniques',
    code: 'Code d’erreur',
    description: 'Description',
    returnAddress: 'Adresse de retour',
    unknown: {
      heading: 'Une erreur s’est produite',
      text: 'La demande n’a pas pu aboutir.',
      next: 'Retournez à l’application et recommencez. Si cela n’aide pas, donnez au support le numéro de demande ci-dessous.',
    },
    codes: errors,
    situations,
    details,
  },
}
