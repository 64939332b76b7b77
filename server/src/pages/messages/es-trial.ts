import { phrase } from './phrase.ts'
import type { trial as english } from './en-trial.ts'

export const trial: typeof english = {
  trial: {
    title: (name) => `Probar el inicio de sesión con ${name}`,
    text: (name) =>
      phrase`Usted inicia sesión en ${name} como prueba. Con ello no queda con la sesión iniciada en ninguna parte y aquí no cambia nada.`,
    seen: 'Quien lo ha pedido ve lo que se dice de usted: nombre, dirección, grupos y datos parecidos.',
    overTitle: 'Esta dirección ya no es válida',
    over: 'Es válida durante 15 minutos, en el navegador que la abre primero. Pida una nueva.',
    doneTitle: (name) => `${name} ha respondido`,
    nothing: 'Ha sido una prueba: nadie ha iniciado sesión y no se ha guardado nada.',
    came: 'Lo que se ha dicho de usted',
    subject: 'Quién es usted allí',
    fields: {
      email: 'Dirección de correo',
      name: 'Nombre completo',
      given_name: 'Nombre',
      family_name: 'Apellidos',
      preferred_username: 'Nombre de usuario',
      locale: 'Idioma',
      zoneinfo: 'Zona horaria',
    },
    groups: 'Grupos',
    none: 'ninguno. Si debería haber alguno: en el proveedor, haga que se envíen como groups, en el ID token o en la aserción (en un directorio: memberOf), y mire si usted está en uno.',
    unknownGroups: 'No se comunican o son demasiados. Por ellos no se da ni se quita nada.',
    signedInAt: 'Inicio de sesión allí',
    noTime: 'No se dice cuándo.',
    would: 'Lo que haría un inicio de sesión',
    outcomes: {
      known: 'Iniciaría la sesión en su cuenta.',
      linked: 'Vincularía su cuenta e iniciaría la sesión en ella.',
      new: 'Crearía una cuenta nueva e iniciaría la sesión en ella.',
      prove:
        'Ya existe una cuenta con esta dirección, y no es solo de la organización. Primero iniciaría sesión en ella y después conectaría ambas.',
      guest:
        'La dirección no es de ningún dominio de la organización. Primero se pediría un código enviado a ella.',
      refused: 'No le dejaría entrar.',
    },
    reasons: {
      unknown_person:
        'Nadie ha invitado ni creado a esta persona. Aquí: invítela, deje que un directorio la cree o que el inicio de sesión cree cuentas (provision: create).',
      no_address:
        'No ha llegado ninguna dirección de correo. En el proveedor: haga que la envíe. Aquí: indíquela en attributes.',
      outside_domains:
        'La dirección no es de ningún dominio de la organización. Aquí: demuestre el dominio o permita invitados, para lo que hace falta un servidor de correo.',
      conflict:
        'La cuenta que tiene esta dirección está vinculada allí a otra identidad. Aquí: revise los vínculos de la cuenta y quite el antiguo si se trata de la misma persona.',
      disabled: 'La cuenta está desactivada. Aquí: actívela, si le corresponde.',
      address_domain:
        'La dirección comunicada no es de ningún dominio de la organización: la cuenta conserva la que tiene.',
      address_taken: 'La dirección comunicada es de otra persona: la cuenta conserva la que tiene.',
    },
    changes: 'Campos que cambiarían',
    gives: 'Perfiles que empezarían',
    ends: 'Perfiles que terminarían',
    cures: {
      unreachable:
        'Aquí: compruebe la dirección (emisor, metadatos o directorio). En el proveedor: este servicio tiene que poder llegar a él, con un nombre público y un certificado válido.',
      documents:
        'Aquí: compare el emisor y la dirección de los metadatos con lo que el proveedor dice de sí mismo, letra por letra, incluidos el inquilino y la barra final.',
      client_refused:
        'En el proveedor: registre exactamente la dirección de retorno de este inicio de sesión. Aquí: indique el identificador de cliente y un secreto válido; de un directorio, la cuenta que busca y su contraseña.',
      denied:
        'En el proveedor: asigne la persona o uno de sus grupos a esta aplicación y dé el consentimiento para todos. O alguien canceló: empiece de nuevo.',
      response:
        'En el proveedor: compare la dirección de retorno o ACS y haga que responda exactamente a lo que se pide. Empiece cada intento aquí, con una dirección nueva.',
      signature:
        'En el proveedor: firme con RS256, PS256 o ES256, o en SAML con RSA y SHA-256. Aquí: tome las claves o los certificados con los que firma ahora; los metadatos que se leen de una dirección se renuevan solos.',
      issuer:
        'Aquí: compare el emisor con el nombre que se da el proveedor. Se han confundido dos inquilinos o dos proveedores.',
      audience:
        'En el proveedor: la respuesta es para otra aplicación. OpenID Connect: su identificador de cliente tiene que ser el que figura aquí. SAML: su audiencia tiene que ser el identificador de entidad de este inicio de sesión.',
      nonce:
        'En el proveedor: la respuesta tiene que repetir el nonce de la petición. Empiece de nuevo; si sigue igual, no habla OpenID Connect.',
      expired: 'Ponga en hora los relojes de ambos lados. O ha durado demasiado: empiece de nuevo.',
      replayed: 'La respuesta ya se había usado. Empiece de nuevo con una dirección nueva.',
      no_subject:
        'En el proveedor: haga que diga quién es la persona, con sub (Entra: oid y tid), un NameID persistente o el atributo que subject nombra aquí.',
      too_old: 'En el proveedor: cierre allí la sesión y empiece de nuevo.',
      request_over:
        'Ha durado demasiado o ha vuelto otro navegador. Empiece de nuevo con una dirección nueva.',
      inactive: 'Aquí: la organización está desactivada. Actívela.',
      wrong_credentials: 'Compruebe el nombre y la contraseña en el directorio.',
      throttled: 'Ha habido demasiados intentos en poco tiempo. Espere un cuarto de hora y empiece de nuevo.',
    },
    registered: 'Para registrar allí',
    back: 'Volver a la guía',
  },
}
