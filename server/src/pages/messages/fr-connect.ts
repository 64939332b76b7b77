import type { connect as english } from './en-connect.ts'
import { phrase } from './phrase.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect: typeof english = {
  connect: {
    title: 'Relier votre organisation',
    heading: (organisation) => phrase`Relier ${organisation}`,
    lead: 'Vous configurez ici comment les personnes de votre organisation se connectent : auprès de votre propre fournisseur d’identité et par votre propre domaine. Il vous faut quelqu’un qui puisse administrer les deux.',
    nothingCounts: 'Rien ne compte avant que les responsables de ce service l’aient confirmé.',
    oneBrowser: (until) =>
      `Dès que vous commencez, le lien ne compte plus que dans ce navigateur, jusqu’au ${until}.`,
    begin: 'Commencer',
    back: 'Toutes les étapes',
    steps: {
      provider: 'Choisir votre fournisseur',
      values: 'Le relier',
      domain: 'Prouver votre domaine',
      trial: 'L’essayer',
      provisioning: 'Gérer les comptes par SCIM',
      finish: 'Remettre',
    },
    texts: {
      provider: 'Là où vos membres se connectent',
      values: 'Ce qu’il faut coller là-bas, et ce qu’il faut en copier',
      domain: 'Par un enregistrement DNS',
      trial: 'Connectez-vous une fois vous-même et voyez ce qui arrive',
      provisioning: 'Si votre fournisseur doit créer et supprimer des comptes ici',
      finish: 'Ensuite c’est regardé et confirmé',
    },
    done: 'Fait',
    toDo: 'À faire',
    optional: 'Pas nécessaire',
    otherOidc: 'Un autre, par OpenID Connect',
    otherSaml: 'Un autre, par SAML 2.0',
    changes: 'Un autre fournisseur vide ce que vous avez saisi pour le précédent.',
    valuesHeading: (provider) => `Relier ${provider}`,
    there: (provider) => `Chez ${provider}`,
    thereOther: 'Chez votre fournisseur',
    open: (path) => phrase`Ouvrez ${path}.`,
    register: 'Enregistrez-y ce service comme nouvelle application.',
    paste: 'Collez-y ceci :',
    sendOidc: (email, groups) =>
      phrase`Qu’il envoie l’adresse e-mail dans le claim ${email} et, si des profils doivent suivre des groupes, les groupes dans ${groups}.`,
    sendSaml: (format, mail, groups) =>
      phrase`Qu’il envoie un NameID au format ${format}, fait d’une valeur qui ne change jamais pour une personne, l’adresse e-mail dans l’attribut ${mail} et, si des profils doivent suivre des groupes, les groupes dans ${groups}. Il signe l’assertion et ne la chiffre pas.`,
    setThere: 'À régler là-bas :',
    noGroups: (provider) => `${provider} n’envoie pas de groupes.`,
    saveFirst:
      'Enregistrez dans un fichier ce qui se trouve à l’adresse des métadonnées, et choisissez là-bas ce fichier.',
    here: 'À copier ici',
    provider: 'Fournisseur',
    from: (path) => `Là-bas : ${path}`,
    issuer: 'Issuer',
    tenant: 'ID de l’annuaire (locataire), ou l’issuer',
    clientId: 'ID client',
    clientSecret: 'Secret du client',
    secretHint: 'Il est gardé chiffré et n’est montré à personne.',
    secretKept: 'Un secret est gardé. Un autre le remplace.',
    noSecret: (keys) => phrase`Sans secret, ce service se prouve par une clé, qui se trouve à ${keys}.`,
    metadataUrl: 'Adresse de ses métadonnées',
    metadataHint: (example) => `Par exemple ${example}. Les nouveaux certificats y sont lus.`,
    orFile: 'Ou ses métadonnées en fichier',
    orText: 'Ou ses métadonnées en texte',
    check: 'Vérifier et garder',
    problems: {
      missing: 'Remplissez ce champ.',
      wrong: 'Cela ne peut pas être utilisé : vérifiez les espaces, les parties manquantes et la longueur.',
      issuer:
        'Ce n’est pas l’issuer d’un seul fournisseur. Copiez-le de votre fournisseur tel quel, et chez Entra celui de votre propre locataire.',
      unreachable:
        'Votre fournisseur n’est pas joignable à cette adresse. Ici : vérifiez l’adresse. Chez votre fournisseur : qu’il soit joignable depuis Internet par https, avec un certificat que les navigateurs acceptent.',
      documents:
        'Ce que votre fournisseur publie ne convient pas. Ici : copiez l’issuer exactement, jusqu’à la dernière barre oblique. Chez votre fournisseur : regardez ce qui est dit ci-dessous.',
      metadata:
        'Ces métadonnées ne peuvent pas être utilisées. Ici : prenez les métadonnées de fédération du fournisseur d’identité, en entier. Chez votre fournisseur : regardez ce qui est dit ci-dessous.',
    },
    detail: 'Exactement :',
    throttled: 'Il y a eu trop d’essais. Continuez dans une heure.',
    kept: 'C’est vérifié et gardé.',
    domainLead:
      'C’est la partie après le @ des adresses de vos membres. Un enregistrement montre qu’il est à vous.',
    domain: 'Domaine',
    keepDomain: 'Montrer l’enregistrement',
    wrongDomain: 'Ce n’est pas un domaine. Saisissez-en un comme acme.example.',
    record: 'Ajoutez cet enregistrement à votre DNS :',
    recordName: 'Nom',
    recordType: 'Type',
    recordValue: 'Valeur',
    look: 'Regarder maintenant',
    looks: {
      found: 'L’enregistrement est là.',
      no_record:
        'L’enregistrement n’est pas encore là. Le DNS peut prendre une heure. Dans votre DNS : vérifiez le nom, auquel certains ajoutent d’eux-mêmes le domaine, et la valeur.',
      alias: 'Dans votre DNS : le nom est un alias (CNAME). Mettez l’enregistrement au nom lui-même.',
      wildcard: 'Dans votre DNS : un nom générique (*) répond. Mettez l’enregistrement au nom lui-même.',
      no_answer:
        'Les serveurs de ce domaine ne répondent pas. Dans votre DNS : regardez s’ils fonctionnent, et réessayez.',
    },
    trialLead:
      'Vous vous connectez une fois chez votre fournisseur et voyez ce qui arrive. Cela ne donne aucun accès et ne crée aucun compte.',
    trialFirst: 'Reliez d’abord votre fournisseur.',
    trialBegun: 'Vous avez essayé ce qui est saisi maintenant.',
    tryIt: 'Essayer',
    provisioningLead:
      'Avec SCIM, votre fournisseur crée, modifie et supprime lui-même des comptes ici. Laissez cela de côté si vous ne l’utilisez pas.',
    makeToken: 'Créer un jeton',
    replaceToken: 'Créer un autre jeton',
    replaces: 'Il y a un jeton. Un autre prend sa place.',
    tokenOnce: 'Le jeton n’est montré que cette fois : collez-le maintenant chez votre fournisseur.',
    tokenWaits:
      'Il est refusé (401) tant que ce que vous remettez n’est pas confirmé, et compte un an à partir de là.',
    finishLead: 'Ceci est remis. Après cela le lien a pris fin, et rien ne peut plus en être changé.',
    nothingYet: 'Il n’y a encore rien à remettre.',
    notTried: 'Vous ne l’avez pas essayé. La personne qui confirme le voit.',
    noDomain:
      'Aucun domaine n’est encore prouvé. D’ici là, aucune adresse de vos membres ne compte : seules entrent les personnes qui ont déjà un compte ici et le prouvent, et des invités là où ils sont admis. La personne qui confirme le voit.',
    handIn: 'Remettre',
    handInWithout: 'Remettre sans domaine prouvé',
    doneTitle: 'C’est remis',
    doneText:
      'Les responsables de ce service en sont informés. Rien ne compte avant qu’ils l’aient confirmé.',
    donePlaces:
      'Laissez tels quels l’enregistrement dans votre DNS et ce que vous avez collé chez votre fournisseur.',
  },
}
