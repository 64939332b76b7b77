import type { Child } from 'hono/jsx'
import { duration } from './duration.ts'
import { phrase } from './phrase.ts'
import type { factors as english } from './en-factors.ts'

export const factors: typeof english = {
  secondFactor: {
    title: 'Confirmez que c’est bien vous',
    heading: 'Confirmez que c’est bien vous',
    lead: (account: Child) => phrase`${account}, votre mot de passe seul ne suffit pas ici.`,
    code: 'Code de votre application d’authentification',
    hint: 'Six chiffres. Chaque code ne sert qu’une fois.',
    recoveryLead:
      'Chaque code de secours ne sert qu’une fois. Vous les avez notés ou imprimés en configurant votre second facteur.',
    recoveryCode: 'Code de secours',
    recoveryHint: 'Par exemple 7-K3QF-9XWM-2TRB-HDN4, avec son numéro.',
    submit: 'Continuer',
    trust: (days: number) =>
      `Ne plus le demander dans ce navigateur pendant ${days === 1 ? 'un jour' : `${days} jours`}`,
    useKey: 'Utiliser une clé d’accès ou une clé de sécurité',
    keyFailed: 'Aucune clé d’accès ou de sécurité n’a été utilisée. Réessayez.',
    keyNeeds:
      'Pour utiliser une clé d’accès ou une clé de sécurité, activez JavaScript dans votre navigateur.',
    wrongKey: 'Cette clé d’accès ou de sécurité n’a pas été acceptée. Réessayez, ou utilisez-en une autre.',
    keySuspended:
      'Votre clé d’accès ou de sécurité ne compte pas pour le moment, car il pourrait en exister une copie. Utilisez un code de secours, ou adressez-vous aux responsables de ce service.',
    useRecovery: 'Utiliser un code de secours',
    useApp: 'Utiliser votre second facteur',
    missing: 'Saisissez le code.',
    wrong: 'Ce code est faux ou a déjà servi. Attendez le suivant et saisissez-le.',
    wrongRecovery: 'Ce code de secours n’existe pas, ou il a déjà servi.',
    suspended:
      'Il y a eu trop de codes faux ; les codes de votre application d’authentification ne comptent donc pas pour le moment. Utilisez un code de secours ou un navigateur dans lequel vous vous êtes déjà connecté, ou adressez-vous aux responsables de ce service.',
    tooMany: (seconds: number) =>
      `Il y a eu trop de codes faux. Veuillez réessayer dans ${duration('fr', seconds)}.`,
  },
  enrol: {
    title: 'Configurer un second facteur',
    heading: 'Configurer un second facteur',
    lead: (client: Child) =>
      phrase`En plus de votre mot de passe, ${client} demande une seconde preuve que c’est bien vous.`,
    own: 'En plus de votre mot de passe, il prouve ensuite que c’est bien vous.',
    scan: 'Scannez ceci avec une application d’authentification, par exemple celle de votre téléphone ou de votre gestionnaire de mots de passe.',
    qr: 'Code QR contenant la clé pour votre application d’authentification',
    key: 'Ou saisissez-y cette clé :',
    name: 'Un nom pour la reconnaître',
    nameHint: 'Pour la distinguer des autres : le téléphone, par exemple.',
    defaultName: 'Application d’authentification',
    code: 'Le code affiché par l’application',
    submit: 'Configurer',
    later: 'Plus tard',
    laterNote: (days: number) =>
      days === 1
        ? 'Vous pouvez le faire plus tard, jusqu’à demain. Ensuite, ce sera nécessaire.'
        : `Vous pouvez le faire plus tard, dans les ${days} jours. Ensuite, ce sera nécessaire.`,
    decline: 'Ne pas configurer',
    missing: 'Saisissez le code affiché par l’application.',
    wrong: 'Ce n’est pas le code de cette clé. Attendez le suivant et saisissez-le.',
    clock:
      'L’horloge de votre téléphone n’est pas à l’heure. Laissez-le régler l’heure lui-même, puis saisissez le code suivant.',
    expired:
      'Cela a pris trop de temps. Voici une nouvelle clé : scannez-la, et supprimez la précédente de l’application.',
    tooMany: 'Vous avez déjà trois applications d’authentification. Supprimez-en d’abord une.',
    wrongName: 'Saisissez un nom de 100 caractères au plus.',
  },
  enrolCode: {
    text: (address: Child) =>
      phrase`Saisissez d’abord un code envoyé à ${address} : qui ne connaît que votre mot de passe ne doit rien configurer.`,
    sent: (address: Child) =>
      phrase`Un code de huit chiffres est en route vers ${address}. Il est valable dix minutes, dans ce navigateur seulement.`,
    code: 'Code reçu par e-mail',
    send: 'Envoyer le code',
    again: 'Envoyer un autre code',
    missing: 'Saisissez le code reçu par e-mail.',
    wrong: 'Ce code est faux ou n’est plus valable. Après cinq codes faux, il en faut un autre.',
    tooMany: 'Tant de codes ont été envoyés qu’il n’y en a pas d’autre pour l’instant. Réessayez plus tard.',
  },
  enrolKey: {
    title: 'Configurer une clé d’accès ou de sécurité',
    passkeyText:
      'Une clé d’accès (passkey) est conservée par votre appareil ou votre gestionnaire de mots de passe. Vous vous connectez alors avec le doigt, le visage ou un code PIN, sans mot de passe.',
    securityKeyText:
      'Une clé de sécurité est un petit appareil que vous branchez ou approchez de votre téléphone. Elle vient après votre mot de passe.',
    passkey: 'Configurer une clé d’accès',
    securityKey: 'Configurer une clé de sécurité',
    failed: 'Rien n’a été configuré. Réessayez.',
    taken: 'Cet appareil ou cette clé est déjà configuré. Prenez-en un autre.',
    wrong: 'Cette clé d’accès ou de sécurité n’a pas été acceptée. Réessayez.',
    needs:
      'Pour configurer une clé d’accès ou une clé de sécurité, activez JavaScript dans votre navigateur.',
  },
  recoveryCodes: {
    title: 'Vos codes de secours',
    heading: 'Conservez ces codes de secours',
    text: 'Si vous perdez votre second facteur, chacun d’eux vous laisse entrer une fois, après votre mot de passe. Ils sont affichés maintenant et plus jamais ensuite. Imprimez-les, ou conservez-les dans votre gestionnaire de mots de passe.',
    list: 'Codes de secours',
    saved: 'Je les ai conservés',
  },
  accountSignIn: {
    title: 'Comment vous vous connectez',
    heading: 'Comment vous vous connectez',
    none: 'Il n’y a que votre mot de passe : quiconque le connaît peut se connecter à votre place.',
    factors: 'Seconds facteurs',
    app: 'Application d’authentification',
    passkey: 'Clé d’accès',
    securityKey: 'Clé de sécurité',
    made: (date: string) => `Configuré le ${date}`,
    used: (date: string) => `Utilisé pour la dernière fois le ${date}`,
    suspended: 'Suspendu après trop de codes faux',
    add: 'Ajouter une application d’authentification',
    addKey: 'Ajouter une clé d’accès ou de sécurité',
    tooManyKeys:
      'Vous avez déjà dix clés d’accès et de sécurité. Supprimez-en une pour en ajouter une autre.',
    noKeysByIp:
      'Il n’y a ici ni clés d’accès ni clés de sécurité : ce service a une adresse IP et pas de nom.',
    synced: 'Synchronisée entre vos appareils',
    onDevice: 'Reste sur un seul appareil',
    earlier: (domain: Child) => phrase`D’une adresse antérieure (${domain}) : elle ne compte pas ici.`,
    suspendedKey:
      'Suspendue, car il pourrait en exister une copie. Supprimez-la et configurez-en une nouvelle.',
    elsewhere: 'Se déconnecter partout ailleurs',
    rename: 'Renommer',
    name: 'Nom',
    remove: 'Supprimer',
    removeNamed: (name: Child) => phrase`Supprimer ${name}`,
    renameNamed: (name: Child) => phrase`Renommer ${name}`,
    recovery: 'Codes de secours',
    recoveryLeft: (count: number) =>
      count === 0 ? 'Il n’en reste aucun.' : count === 1 ? 'Il en reste un.' : `Il en reste ${count}.`,
    newCodes: 'Créer de nouveaux codes de secours',
    newCodesNote: 'Les précédents ne compteront alors plus.',
    getsIn:
      'Vous êtes la seule personne qui entre quand la connexion de votre organisation ne marche pas. Demandez à votre administration d’en désigner d’abord une autre.',
    lastOne:
      'C’est le dernier second facteur, et il vous en faut un ici. Configurez-en un autre avant de le supprimer.',
    unknown: 'Ce second facteur n’existe plus.',
    done: {
      password: 'Le mot de passe est changé. Vous êtes déconnecté partout ailleurs.',
      removed: 'Le second facteur a été supprimé.',
      renamed: 'Le second facteur a son nouveau nom.',
      added: 'Le second facteur est configuré.',
    },
    proveHeading: 'Confirmez que c’est bien vous',
    proveText:
      'Ceci change la façon dont vous vous connectez. Prouvez encore une fois que c’est bien vous : cela ne doit pas remonter à plus de dix minutes.',
    proveByKey:
      'Ceci change la façon dont vous vous connectez. Utilisez votre clé d’accès, ou saisissez votre mot de passe et utilisez votre clé de sécurité. Cela ne doit pas remonter à plus de dix minutes.',
    back: 'Retour à votre connexion',
    password: 'Mot de passe',
    wrongPassword: 'Ce mot de passe est faux.',
    signInFirst: 'Connectez-vous d’abord',
    signInText:
      'Vous n’êtes pas connecté ici. Ouvrez l’application que vous utilisez, connectez-vous-y et revenez à cette page.',
    signInAgain: 'Se connecter',
  },
}
