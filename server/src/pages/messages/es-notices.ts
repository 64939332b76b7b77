import type { notices as en } from './en-notices.ts'

export const notices: typeof en = {
  notMe: {
    title: 'No he sido yo',
    heading: '¿No ha sido usted?',
    lead: 'Entonces otra persona ha estado en su cuenta. Pulse el botón, y al momento ocurre esto:',
    undone: {
      address_requested:
        'La otra dirección deja de valer; si ya vale, su dirección vuelve a ser la que recibió este mensaje.',
      address_changed:
        'Su dirección vuelve a ser la que recibió este mensaje, y los segundos factores vuelven a ser los que eran.',
      factor_created: 'Se elimina el segundo factor que se configuró.',
      factor_removed: 'Vuelve el segundo factor que se eliminó.',
      recovery_codes_created: 'Los nuevos códigos de recuperación dejan de valer.',
      deletion_requested: 'Su cuenta no se elimina y vuelve a valer.',
      link_created: 'El inicio de sesión que se conectó se elimina, y lo que vino con él termina.',
    },
    undoneEach: {
      factor_created: 'Se eliminan los segundos factores que se configuraron.',
      factor_removed: 'Vuelven los segundos factores que se eliminaron.',
    },
    later: 'También se deshacen los demás cambios posteriores de su dirección y de sus segundos factores.',
    stands:
      'Lo que desde entonces haya fijado un administrador, o usted con un enlace recibido por correo, queda como está.',
    signsOut: 'Se cierran todas sus sesiones, en cada navegador y cada aplicación.',
    voids:
      'Su contraseña deja de ser válida, para que nadie inicie sesión con ella. Después elige una nueva.',
    submit: 'No he sido yo',
    wasMe: 'Si ha sido usted, cierre esta página. Nada ha cambiado.',
    doneHeading: 'Su cuenta está a salvo por ahora',
    done: 'Ya nadie tiene una sesión en ella, y la contraseña no es válida. Elija una nueva: donde inicia sesión, indique que la ha olvidado, o pregunte a las personas que gestionan este servicio. Revise después sus segundos factores.',
    endedHeading: 'Este enlace ya no se puede usar',
    ended:
      'Se ha usado, o tiene más de siete días. Si otra persona está en su cuenta, elija una contraseña nueva y pregunte a las personas que gestionan este servicio.',
    account: 'A su cuenta',
  },
}
