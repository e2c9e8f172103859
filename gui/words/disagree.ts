import type { Entry } from './language.ts'

/** Folders whose encryption is configured differently here and on another device. */
export const DISAGREE = {
  'status.disagreement': {
    en: '{device} does not exchange data: the encryption settings differ',
    de: '{device} tauscht nichts aus: Die Einstellungen zur Verschlüsselung widersprechen sich',
    es: '{device} no intercambia datos: los ajustes de cifrado no coinciden',
    fr: '{device} n’échange rien : les réglages de chiffrement diffèrent',
    zh: '{device} 未交换数据：加密设置不一致',
  },
  'why.disagreement': {
    en: '{device} does not exchange this folder: the encryption settings differ.',
    de: '{device} tauscht diesen Ordner nicht aus: Die Einstellungen zur Verschlüsselung widersprechen sich.',
    es: '{device} no intercambia esta carpeta: los ajustes de cifrado no coinciden.',
    fr: '{device} n’échange pas ce dossier : les réglages de chiffrement diffèrent.',
    zh: '{device} 未交换此文件夹：加密设置不一致。',
  },
  'disagree.title': {
    en: 'Not exchanged with {device}',
    de: 'Kein Austausch mit {device}',
    es: 'Sin intercambio con {device}',
    fr: 'Pas d’échange avec {device}',
    zh: '未与 {device} 交换',
  },
  'disagree.state': {
    en: 'settings differ',
    de: 'Einstellungen verschieden',
    es: 'ajustes distintos',
    fr: 'réglages différents',
    zh: '设置不一致',
  },
  'disagree.plain-for-untrusted': {
    en: 'The device is untrusted and would get readable data. Set a password for it in this folder, or trust the device.',
    de: 'Das Gerät ist nicht vertrauenswürdig und bekäme lesbare Daten. Setzen Sie in diesem Ordner ein Passwort dafür, oder vertrauen Sie dem Gerät.',
    es: 'El dispositivo no es de confianza y recibiría datos legibles. Ponga una contraseña para él en esta carpeta, o confíe en el dispositivo.',
    fr: 'L’appareil n’est pas fiable et recevrait des données lisibles. Donnez-lui un mot de passe dans ce dossier, ou faites confiance à l’appareil.',
    zh: '该设备不受信任，却会收到可读数据。请在此文件夹中为其设置密码，或将设备设为受信任。',
  },
  'disagree.already-encrypted': {
    en: 'The data here is encrypted already. Remove the password of the device from this folder.',
    de: 'Die Daten hier sind bereits verschlüsselt. Entfernen Sie das Passwort des Geräts aus diesem Ordner.',
    es: 'Los datos aquí ya están cifrados. Quite la contraseña del dispositivo de esta carpeta.',
    fr: 'Les données ici sont déjà chiffrées. Retirez de ce dossier le mot de passe de l’appareil.',
    zh: '此处的数据已经加密。请从此文件夹中删除该设备的密码。',
  },
  'disagree.both-encrypted': {
    en: 'The other device holds encrypted data and has a password for this one. Remove that password there.',
    de: 'Das andere Gerät hat verschlüsselte Daten und ein Passwort für dieses Gerät. Entfernen Sie dort das Passwort.',
    es: 'El otro dispositivo tiene datos cifrados y una contraseña para este. Quite allí esa contraseña.',
    fr: 'L’autre appareil a des données chiffrées et un mot de passe pour celui-ci. Retirez-y ce mot de passe.',
    zh: '另一台设备持有加密数据，又为本设备设置了密码。请在那里删除该密码。',
  },
  'disagree.plain-there': {
    en: 'A password is set here, but the other device has the folder in readable form. Remove the folder there and accept it as an encrypted one, or remove the password here.',
    de: 'Hier ist ein Passwort gesetzt, aber das andere Gerät hat den Ordner lesbar. Entfernen Sie ihn dort und nehmen Sie ihn verschlüsselt an, oder entfernen Sie hier das Passwort.',
    es: 'Aquí hay una contraseña, pero el otro dispositivo tiene la carpeta legible. Quítela allí y acéptela cifrada, o quite la contraseña aquí.',
    fr: 'Un mot de passe est défini ici, mais l’autre appareil a le dossier lisible. Retirez-le là-bas et acceptez-le chiffré, ou retirez le mot de passe ici.',
    zh: '此处设置了密码，但另一台设备以可读形式保存此文件夹。请在那里移除并以加密形式接受，或在此删除密码。',
  },
  'disagree.plain-sent': {
    en: 'This folder is stored encrypted here, but the other device would send readable data. Set a password for this device there.',
    de: 'Dieser Ordner ist hier verschlüsselt, aber das andere Gerät würde lesbare Daten senden. Setzen Sie dort ein Passwort für dieses Gerät.',
    es: 'Esta carpeta está cifrada aquí, pero el otro dispositivo enviaría datos legibles. Ponga allí una contraseña para este dispositivo.',
    fr: 'Ce dossier est chiffré ici, mais l’autre appareil enverrait des données lisibles. Définissez-y un mot de passe pour cet appareil.',
    zh: '此文件夹在此处加密保存，但另一台设备会发送可读数据。请在那里为本设备设置密码。',
  },
  'disagree.encrypted-there': {
    en: 'The other device exchanges encrypted data only. Set the password for it in this folder; or remove the folder here and accept it as an encrypted one.',
    de: 'Das andere Gerät tauscht nur verschlüsselte Daten aus. Setzen Sie in diesem Ordner das Passwort dafür; oder entfernen Sie den Ordner hier und nehmen Sie ihn verschlüsselt an.',
    es: 'El otro dispositivo solo intercambia datos cifrados. Ponga su contraseña en esta carpeta; o quite la carpeta aquí y acéptela cifrada.',
    fr: 'L’autre appareil n’échange que des données chiffrées. Donnez son mot de passe dans ce dossier ; ou retirez le dossier ici et acceptez-le chiffré.',
    zh: '另一台设备只交换加密数据。请在此文件夹中为其设置密码；或在此移除文件夹并以加密形式接受。',
  },
  'disagree.other-password': {
    en: 'The devices use different passwords. Set the same one everywhere. To change it, remove the folder and its files on the untrusted device and accept it there again.',
    de: 'Die Geräte verwenden verschiedene Passwörter. Setzen Sie überall dasselbe. Um es zu ändern, entfernen Sie Ordner und Dateien auf dem nicht vertrauenswürdigen Gerät und nehmen ihn dort neu an.',
    es: 'Los dispositivos usan contraseñas distintas. Ponga la misma en todos. Para cambiarla, quite la carpeta y sus archivos en el dispositivo que no es de confianza y acéptela allí de nuevo.',
    fr: 'Les appareils utilisent des mots de passe différents. Mettez partout le même. Pour le changer, retirez le dossier et ses fichiers sur l’appareil non fiable et acceptez-le de nouveau.',
    zh: '各设备使用的密码不同。请在所有设备上设置相同的密码。若要更改，请在不受信任的设备上移除文件夹及其文件，然后重新接受。',
  },
  'disagree.untrusted-there': {
    en: 'The other device treats this one as untrusted, but has no password for it. Set one there, or trust this device there.',
    de: 'Das andere Gerät vertraut diesem nicht, hat aber kein Passwort dafür. Setzen Sie dort eines, oder vertrauen Sie dort diesem Gerät.',
    es: 'El otro dispositivo no confía en este, pero no tiene contraseña para él. Ponga una allí, o confíe allí en este dispositivo.',
    fr: 'L’autre appareil ne fait pas confiance à celui-ci, mais n’a pas de mot de passe pour lui. Définissez-en un là-bas, ou faites-y confiance à cet appareil.',
    zh: '另一台设备不信任本设备，却没有为其设置密码。请在那里设置密码，或信任本设备。',
  },
} as const satisfies Readonly<Record<string, Entry>>
