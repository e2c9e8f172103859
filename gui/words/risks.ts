import type { Entry } from './language.ts'

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
} as const satisfies Readonly<Record<string, Entry>>
