import type { TextEntry } from '../language.ts'

/** Settings that put the device or its data at risk. */
export const RISKS = {
  'risk.gui-open': {
    en: 'Everybody who reaches this page can change everything here, because no password is set.',
    de: 'Wer diese Seite erreicht, kann hier alles ändern, denn es ist kein Passwort gesetzt.',
    es: 'Quien alcance esta página puede cambiarlo todo, porque no hay contraseña.',
    fr: 'Quiconque atteint cette page peut tout y changer, car aucun mot de passe n’est défini.',
    zh: '未设置密码：任何能访问此页面的人都可以更改所有内容。',
  },
  'risk.setPassword': {
    en: 'Set a password',
    de: 'Passwort setzen',
    es: 'Establecer contraseña',
    fr: 'Définir un mot de passe',
    zh: '设置密码',
  },
  'risk.folder-contains-home': {
    en: 'A folder contains the home of this device and shares its private key.',
    de: 'Ein Ordner enthält das Datenverzeichnis dieses Geräts und teilt dessen privaten Schlüssel.',
    es: 'Una carpeta contiene los datos internos de este dispositivo y comparte su clave privada.',
    fr: 'Un dossier contient les données internes de cet appareil et partage sa clé privée.',
    zh: '某个文件夹包含本设备的主目录，并共享其私钥。',
  },
  'risk.proxy-not-trusted': {
    en: 'Logins come through a proxy that is not trusted here: all its clients count as one.',
    de: 'Anmeldungen kommen über einen Proxy, dem hier nicht vertraut wird: alle seine Nutzer zählen als einer.',
    es: 'Los inicios de sesión llegan por un proxy que no es de confianza: todos sus clientes cuentan como uno.',
    fr: 'Les connexions passent par un proxy qui n’est pas approuvé ici : tous ses clients comptent pour un seul.',
    zh: '登录经由未受信任的代理：它的所有客户端按一个计算。',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
