import { phrase } from './phrase.ts'
import type { upstream as english } from './en-upstream.ts'

export const upstream: typeof english = {
  upstream: {
    continue: 'Continuer avec votre organisation',
    continueWith: (name) => `Continuer avec ${name}`,
    noOrganisation:
      'Ici, aucune organisation ne connecte les personnes de ce domaine. Vérifiez l’adresse, ou connectez-vous avec votre mot de passe.',
    usual: 'Les personnes dont l’adresse est de ce domaine se connectent par leur organisation.',
    noTime:
      'Le service de connexion de votre organisation ne dit pas quand vous vous êtes connecté, et cette application le demande. Connectez-vous ici.',
    beyond:
      'Pour cette application, montrez que c’est bien vous avec un mot de passe ou une clé d’accès qui vous appartient.',
    chooseTitle: 'Comment voulez-vous vous connecter ?',
    chooseText: 'Votre organisation offre plusieurs façons de se connecter.',
    requiredTitle: (name) => `Se connecter avec ${name}`,
    requiredText: (organisation) =>
      phrase`${organisation} demande à ses membres de se connecter par son propre service de connexion.`,
    failedTitle: (name) => `La connexion avec ${name} n’a pas fonctionné`,
    back: 'Retour à la connexion',
    failed: {
      unreachable:
        'Ce service de connexion ne répond pas. Réessayez dans quelques minutes, ou prévenez les personnes qui l’exploitent.',
      setup:
        'Sa réponse est inutilisable : quelque chose n’est pas bien configuré entre lui et ce service. Prévenez votre administration ; le numéro ci-dessous l’aide à trouver la cause.',
      denied: 'La connexion y a été annulée ou refusée.',
      over: 'La connexion a pris trop de temps, a déjà servi ou a commencé dans un autre navigateur. Recommencez.',
      too_old:
        'Une nouvelle connexion était demandée, et la réponse en indique une plus ancienne. Déconnectez-vous de ce service, puis réessayez.',
      inactive:
        'Ce service de connexion est désactivé ici en ce moment. Adressez-vous à votre administration.',
      unknown_person:
        'On vous y connaît, mais vous n’avez pas encore de compte ici. Demandez une invitation à votre administration.',
      no_address:
        'Ce service de connexion n’indique pas votre adresse e-mail. Demandez à votre administration d’y remédier.',
      outside_domains:
        'Votre adresse est d’un domaine pour lequel ce service de connexion ne peut pas répondre. Adressez-vous à votre administration.',
      conflict:
        'Le compte qui a votre adresse y est lié à une autre connexion. Demandez à votre administration de vérifier ce lien.',
      disabled: 'Votre compte est désactivé. Adressez-vous à votre administration.',
      needed:
        'Vous êtes la seule personne qui entre quand il ne marche pas. Demandez à votre administration d’en désigner d’abord une autre.',
      other_person:
        'Vous vous y êtes connecté sous une autre identité qu’ici. Déconnectez-vous là-bas, puis réessayez.',
      untimed:
        'Il ne dit pas quand vous vous êtes connecté, et ne peut donc pas le confirmer à nouveau. Définissez votre propre mot de passe : déconnectez-vous ici et indiquez, en vous connectant, que vous l’avez oublié.',
      taken:
        'Cette connexion appartient ici à un autre compte, ou votre compte là-bas à une autre connexion. Rien n’a été relié.',
    },
    ldapText: (name) => phrase`Saisissez le nom et le mot de passe que vous utilisez pour ${name}.`,
    name: 'Nom d’utilisateur ou adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    wrongCredentials: 'Ce nom et ce mot de passe ne vont pas ensemble. Vérifiez les deux et réessayez.',
    throttled: 'Il y a eu trop de mots de passe erronés. Réessayez dans un quart d’heure.',
    missing: 'Saisissez votre nom et votre mot de passe.',
    provedTitle: 'C’est confirmé',
    provedText: 'Votre preuve vaut dix minutes. Poursuivez maintenant ce que vous vouliez faire.',
    linksTitle: 'Connexions d’organisations',
    linkedSince: (date) => `Reliée le ${date}`,
    lastWay:
      'C’est votre seul accès. Définissez votre propre mot de passe ou une clé d’accès avant de le supprimer.',
    connectWith: (name) => `Relier ${name}`,
    connectHere: (who) => phrase`Ici, vous êtes ${who}.`,
    connectKnown: (who, name) => phrase`${name} vous appelle ${who}.`,
    connectText: (name) =>
      phrase`Désormais, qui s’y connecte sous cette identité peut se connecter à votre compte par ${name}.`,
    connectBreakGlass:
      'Vous faites partie des personnes qui entrent quand la connexion de cette organisation ne marche pas. Si vous la reliez, vous n’en ferez plus partie.',
    connectRefused: {
      unproved:
        'Personne n’a encore confirmé que ce compte est le vôtre. Déconnectez-vous, indiquez en vous connectant que vous avez oublié votre mot de passe, et définissez-en un autre par le message reçu.',
      notOffered:
        'Cette connexion ne peut pas être reliée maintenant : elle l’est déjà, elle est désactivée, ou elle ouvre plus que ce que vous avez prouvé.',
    },
    connectDone: {
      connected: 'La connexion est reliée.',
      unlinked: 'La connexion a été supprimée.',
      over: 'Cela a pris trop de temps. Rien n’a été relié.',
    },
    guestTitle: 'Confirmer votre adresse',
    guestText: (email, name) =>
      phrase`${name} vous connecte, mais ne répond pas du domaine de ${email}. Montrez que cette adresse est la vôtre.`,
    linkTitle: 'Relier les deux connexions ?',
    linkText: (email, name) =>
      phrase`Le compte qui a l’adresse ${email} existe déjà. Vous pourriez désormais aussi vous y connecter avec ${name}.`,
    linkAs: (subject, name) => phrase`Pour ${name}, vous êtes ${subject}.`,
    link: 'Relier',
    notNow: 'Pas maintenant',
  },
}
