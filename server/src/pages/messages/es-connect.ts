import type { connect as english } from './en-connect.ts'
import { phrase } from './phrase.ts'
import type { Translated } from './translated.ts'

/** The words of the guide by which an organisation sets up its sign-in itself. */
export const connect: Translated<typeof english> = {
  connect: {
    title: 'Conectar su organización',
    heading: (organisation) => phrase`Conectar ${organisation}`,
    lead: 'Aquí configura cómo inician sesión las personas de su organización: en su propio proveedor de identidad y con su propio dominio. Necesita a alguien que pueda administrar ambos.',
    nothingCounts: 'Nada cuenta hasta que los responsables de este servicio lo hayan confirmado.',
    oneBrowser: (until) => `En cuanto empiece, el enlace solo cuenta en este navegador, hasta el ${until}.`,
    begin: 'Empezar',
    back: 'Todos los pasos',
    steps: {
      provider: 'Elegir su proveedor',
      values: 'Conectarlo',
      domain: 'Demostrar su dominio',
      trial: 'Probarlo',
      provisioning: 'Gestionar cuentas por SCIM',
      finish: 'Entregarlo',
    },
    texts: {
      provider: 'Donde inician sesión sus miembros',
      values: 'Qué pegar allí y qué copiar de allí',
      domain: 'Con un registro DNS',
      trial: 'Inicie sesión una vez y vea qué llega',
      provisioning: 'Si su proveedor ha de crear y eliminar cuentas aquí',
      finish: 'Después se mira y se confirma',
    },
    done: 'Hecho',
    toDo: 'Por hacer',
    optional: 'No hace falta',
    otherOidc: 'Otro, por OpenID Connect',
    otherSaml: 'Otro, por SAML 2.0',
    changes: 'Otro proveedor vacía lo que introdujo del anterior.',
    valuesHeading: (provider) => `Conectar ${provider}`,
    there: (provider) => `En ${provider}`,
    thereOther: 'En su proveedor',
    open: (path) => phrase`Abra ${path}.`,
    register: 'Registre allí este servicio como una aplicación nueva.',
    paste: 'Pegue allí:',
    sendOidc: (email, groups) =>
      phrase`Haga que envíe la dirección de correo en el claim ${email} y, si los perfiles han de seguir a grupos, los grupos en ${groups}.`,
    sendSaml: (format, mail, groups) =>
      phrase`Haga que envíe un NameID con el formato ${format}, hecho de algo que nunca cambie para una persona, la dirección de correo en el atributo ${mail} y, si los perfiles han de seguir a grupos, los grupos en ${groups}. Firma la aserción y no la cifra.`,
    setThere: 'Ajuste allí:',
    noGroups: (provider) => `${provider} no envía grupos.`,
    saveFirst: 'Guarde como archivo lo que hay en la dirección de los metadatos y elija allí ese archivo.',
    here: 'Copiar aquí',
    provider: 'Proveedor',
    from: (path) => `Allí: ${path}`,
    issuer: 'Issuer',
    tenant: 'Id. de directorio (inquilino), o el issuer',
    clientId: 'ID de cliente',
    clientSecret: 'Secreto del cliente',
    secretHint: 'Se guarda cifrado y no se muestra a nadie.',
    secretKept: 'Hay uno guardado. Otro lo sustituye.',
    noSecret: (keys) => phrase`Sin secreto, este servicio se identifica con una clave, que está en ${keys}.`,
    metadataUrl: 'Dirección de sus metadatos',
    metadataHint: (example) => `Por ejemplo ${example}. Los certificados nuevos se leen de ahí.`,
    orFile: 'O sus metadatos como archivo',
    orText: 'O sus metadatos como texto',
    check: 'Comprobar y guardar',
    problems: {
      missing: 'Rellene este campo.',
      wrong: 'Esto no se puede usar: compruebe espacios, partes que faltan y la longitud.',
      issuer:
        'No es el issuer de un solo proveedor. Cópielo de su proveedor tal como está allí, y en Entra el de su propio inquilino.',
      unreachable:
        'No se llega a su proveedor en esta dirección. Aquí: compruebe la dirección. En su proveedor: debe ser accesible desde Internet por https, con un certificado en el que confíen los navegadores.',
      documents:
        'Lo que publica su proveedor no encaja. Aquí: copie el issuer exactamente, hasta la última barra. En su proveedor: mire lo que se dice abajo.',
      metadata:
        'Estos metadatos no se pueden usar. Aquí: tome los metadatos de federación del proveedor de identidad, completos. En su proveedor: mire lo que se dice abajo.',
    },
    detail: 'Exactamente:',
    throttled: 'Hubo demasiados intentos. Continúe dentro de una hora.',
    kept: 'Está comprobado y guardado.',
    domainLead:
      'Es la parte después de la @ en las direcciones de sus miembros. Un registro muestra que es suyo.',
    domain: 'Dominio',
    keepDomain: 'Mostrar el registro',
    wrongDomain: 'Esto no es un dominio. Introduzca uno como acme.example.',
    record: 'Añada este registro a su DNS:',
    recordName: 'Nombre',
    recordType: 'Tipo',
    recordValue: 'Valor',
    look: 'Mirar ahora',
    looks: {
      found: 'El registro está.',
      no_record:
        'El registro aún no está. El DNS puede tardar una hora. En su DNS: compruebe el nombre, al que algunos añaden el dominio por sí solos, y el valor.',
      alias: 'En su DNS: el nombre es un alias (CNAME). Ponga el registro en el propio nombre.',
      wildcard: 'En su DNS: responde un comodín (*). Ponga el registro en el propio nombre.',
      no_answer:
        'Los servidores de este dominio no responden. En su DNS: mire si funcionan y vuelva a intentarlo.',
    },
    trialLead:
      'Inicia sesión una vez en su proveedor y ve lo que llega. No da acceso ni crea ninguna cuenta.',
    trialFirst: 'Conecte primero su proveedor.',
    trialBegun: 'Ha probado lo que está introducido ahora.',
    tryIt: 'Probar',
    provisioningLead:
      'Con SCIM su proveedor crea, cambia y elimina cuentas aquí por sí mismo. Déjelo si no lo usa.',
    makeToken: 'Crear un token',
    replaceToken: 'Crear otro token',
    replaces: 'Hay un token. Otro ocupa su lugar.',
    tokenOnce: 'El token solo se muestra esta vez: péguelo ahora en su proveedor.',
    tokenWaits: 'Se rechaza (401) hasta que se confirme lo que entrega, y desde entonces cuenta un año.',
    finishLead: 'Esto se entrega. Después el enlace ha terminado y ya no se puede cambiar nada.',
    nothingYet: 'Aún no hay nada que entregar.',
    notTried: 'No lo ha probado. Quien lo confirma lo ve.',
    noDomain:
      'Aún no se ha demostrado ningún dominio. Hasta entonces no cuenta ninguna dirección de sus miembros: solo entra quien ya tiene una cuenta aquí y la demuestra, e invitados donde se admiten. Quien lo confirma lo ve.',
    handIn: 'Entregar',
    handInWithout: 'Entregar sin dominio demostrado',
    doneTitle: 'Está entregado',
    doneText: 'Se avisa a los responsables de este servicio. Nada cuenta hasta que lo hayan confirmado.',
    donePlaces: 'Deje como están el registro en su DNS y lo que pegó en su proveedor.',
  },
}
