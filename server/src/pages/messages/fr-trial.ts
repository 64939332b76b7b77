import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Essayer la connexion avec ${name}`,
    text: (name) =>
      phrase`Vous vous connectez chez ${name} pour essayer. Cela ne vous connecte nulle part et ne change rien ici.`,
    seen: 'La personne qui l’a demandé voit ce qui est dit de vous : nom, adresse, groupes, etc.',
    overTitle: 'Cette adresse n’est plus valable',
    over: 'Elle est valable 15 minutes, dans le navigateur qui l’ouvre en premier. Demandez-en une nouvelle.',
    doneTitle: (name) => `${name} a répondu`,
    nothing: 'C’était un essai : personne n’est connecté et rien n’a été enregistré.',
    came: 'Ce qui a été dit de vous',
    subject: 'Qui vous êtes là-bas',
    fields: {
      email: 'Adresse e-mail',
      name: 'Nom complet',
      given_name: 'Prénom',
      family_name: 'Nom de famille',
      preferred_username: 'Nom d’utilisateur',
      locale: 'Langue',
      zoneinfo: 'Fuseau horaire',
    },
    groups: 'Groupes',
    none: 'aucun. S’il devrait y en avoir : chez le fournisseur, faites-les envoyer comme groups, dans le jeton d’identité ou l’assertion (dans un annuaire : memberOf), et regardez si vous êtes dans l’un d’eux.',
    unknownGroups:
      'Ils ne sont pas communiqués, ou sont trop nombreux. Rien n’est donné ni retiré d’après eux.',
    signedInAt: 'Connexion là-bas',
    noTime: 'L’heure n’est pas communiquée.',
    would: 'Ce que ferait une connexion',
    outcomes: {
      known: 'Elle vous connecterait à votre compte.',
      linked: 'Elle associerait votre compte et vous y connecterait.',
      new: 'Elle créerait un nouveau compte et vous y connecterait.',
      prove:
        'Un compte avec cette adresse existe, et il n’appartient pas à la seule organisation. Vous vous y connecteriez d’abord, puis vous associeriez les deux.',
      guest:
        'L’adresse n’est d’aucun domaine de l’organisation. Un code envoyé à cette adresse serait d’abord demandé.',
      refused: 'Elle ne vous laisserait pas entrer.',
    },
    reasons: {
      unknown_person:
        'Personne n’a invité ni créé cette personne. Ici : invitez-la, laissez un annuaire la créer, ou laissez la connexion créer des comptes (provision: create).',
      no_address:
        'Aucune adresse e-mail n’a été communiquée. Chez le fournisseur : faites-la envoyer. Ici : indiquez-la dans attributes.',
      outside_domains:
        'L’adresse n’est d’aucun domaine de l’organisation. Ici : prouvez le domaine, ou autorisez les invités, ce qui demande un serveur de messagerie.',
      conflict:
        'Le compte qui a cette adresse appartient là-bas à une autre identité. Ici : regardez les liens du compte, et supprimez l’ancien s’il s’agit de la même personne.',
      disabled: 'Le compte est désactivé. Ici : activez-le, si cela vous revient.',
      address_domain:
        'L’adresse communiquée n’est d’aucun domaine de l’organisation : le compte garde la sienne.',
      address_taken: 'L’adresse communiquée est celle de quelqu’un d’autre : le compte garde la sienne.',
    },
    changes: 'Champs qui changeraient',
    gives: 'Profils qui commenceraient',
    ends: 'Profils qui prendraient fin',
    cures: {
      unreachable:
        'Ici : vérifiez l’adresse (émetteur, métadonnées ou annuaire). Chez le fournisseur : il doit être joignable depuis ce service, sous un nom public et avec un certificat valable.',
      documents:
        'Ici : comparez l’émetteur et l’adresse des métadonnées avec ce que le fournisseur dit de lui-même, lettre par lettre, locataire et barre oblique finale compris.',
      client_refused:
        'Chez le fournisseur : enregistrez exactement l’adresse de retour de cette connexion. Ici : indiquez l’identifiant client et un secret valable ; pour un annuaire, le compte qui cherche et son mot de passe.',
      denied:
        'Chez le fournisseur : attribuez cette application à la personne ou à un de ses groupes, et donnez l’accord pour tous. Ou quelqu’un a annulé : recommencez.',
      response:
        'Chez le fournisseur : comparez l’adresse de retour ou ACS, et faites répondre exactement à ce qui est demandé. Commencez chaque essai ici, avec une nouvelle adresse.',
      signature:
        'Chez le fournisseur : signez avec RS256, PS256 ou ES256, ou pour SAML avec RSA et SHA-256. Ici : prenez les clés ou certificats avec lesquels il signe maintenant ; des métadonnées lues à une adresse se renouvellent seules.',
      issuer:
        'Ici : comparez l’émetteur avec le nom que le fournisseur se donne. Deux locataires ou deux fournisseurs sont confondus.',
      audience:
        'Chez le fournisseur : la réponse est pour une autre application. OpenID Connect : son identifiant client doit être celui indiqué ici. SAML : son audience doit être l’identifiant d’entité de cette connexion.',
      nonce:
        'Chez le fournisseur : la réponse doit répéter le nonce de la demande. Recommencez ; si cela persiste, il ne parle pas OpenID Connect.',
      expired: 'Réglez les horloges des deux côtés. Ou cela a duré trop longtemps : recommencez.',
      replayed: 'La réponse a déjà été utilisée. Recommencez avec une nouvelle adresse.',
      no_subject:
        'Chez le fournisseur : faites-lui dire qui est la personne, par sub (Entra : oid et tid), un NameID persistant ou l’attribut que subject nomme ici.',
      too_old: 'Chez le fournisseur : déconnectez-vous d’abord là-bas, puis recommencez.',
      request_over:
        'Cela a duré trop longtemps, ou un autre navigateur est revenu. Recommencez avec une nouvelle adresse.',
      inactive: 'Ici : l’organisation est désactivée. Activez-la.',
      wrong_credentials: 'Vérifiez le nom et le mot de passe dans l’annuaire.',
      throttled: 'Il y a eu trop d’essais en peu de temps. Attendez un quart d’heure, puis recommencez.',
    },
    registered: 'À enregistrer là-bas',
    back: 'Retour au guide',
  },
}
