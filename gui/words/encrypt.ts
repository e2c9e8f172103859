import type { Entry } from './language.ts'

/** Sharing with untrusted devices. */
export const ENCRYPT = {
  'encrypt.weak': {
    en: 'Weak password: easy to guess for who has the data.',
    de: 'Schwaches Passwort: leicht zu erraten für den, der die Daten hat.',
    es: 'Contraseña débil: fácil de adivinar para quien tenga los datos.',
    fr: 'Mot de passe faible : facile à deviner pour qui a les données.',
    zh: '密码较弱：持有数据的人容易猜出。',
  },
  'encrypt.fair': {
    en: 'Fair password; a longer one is safer.',
    de: 'Mittleres Passwort; ein längeres ist sicherer.',
    es: 'Contraseña aceptable; una más larga es más segura.',
    fr: 'Mot de passe moyen ; un plus long est plus sûr.',
    zh: '密码强度中等；更长的密码更安全。',
  },
  'encrypt.strong': {
    en: 'Strong password.',
    de: 'Starkes Passwort.',
    es: 'Contraseña fuerte.',
    fr: 'Mot de passe fort.',
    zh: '密码强度高。',
  },
  'encrypt.keep': {
    en: 'You need it to get the data back: save it outside of this device.',
    de: 'Sie brauchen es, um die Daten zurückzubekommen: Bewahren Sie es außerhalb dieses Geräts auf.',
    es: 'La necesita para recuperar los datos: guárdela fuera de este dispositivo.',
    fr: 'Il le faut pour récupérer les données : gardez-le hors de cet appareil.',
    zh: '恢复数据需要此密码：请保存在本设备之外。',
  },
  'encrypt.make': {
    en: 'Generate a password',
    de: 'Passwort erzeugen',
    es: 'Generar una contraseña',
    fr: 'Générer un mot de passe',
    zh: '生成密码',
  },
  'encrypt.save': {
    en: 'Save the password',
    de: 'Passwort speichern',
    es: 'Guardar la contraseña',
    fr: 'Enregistrer le mot de passe',
    zh: '保存密码',
  },
  'encrypt.sees': {
    en: 'That device sees how many files there are, how large they are and when they change. It sees no names, content or times.',
    de: 'Jenes Gerät sieht, wie viele Dateien es gibt, wie groß sie sind und wann sie sich ändern; keine Namen, Inhalte oder Zeiten.',
    es: 'Ese dispositivo ve cuántos archivos hay, su tamaño y cuándo cambian; no ve nombres, contenidos ni fechas.',
    fr: 'Cet appareil voit combien de fichiers il y a, leur taille et quand ils changent ; ni noms, ni contenus, ni dates.',
    zh: '该设备能看到文件数量、大小和更改时刻，看不到名称、内容和时间。',
  },
  'encrypt.sheet': {
    en: 'Password of the encrypted data on {device}:',
    de: 'Passwort der verschlüsselten Daten auf {device}:',
    es: 'Contraseña de los datos cifrados en {device}:',
    fr: 'Mot de passe des données chiffrées sur {device} :',
    zh: '{device} 上加密数据的密码：',
  },
  'encrypt.sheetHelp': {
    en: 'With a copy of the encrypted directory: twinfold decrypt DIRECTORY --to DIRECTORY',
    de: 'Mit einer Kopie des verschlüsselten Verzeichnisses: twinfold decrypt VERZEICHNIS --to VERZEICHNIS',
    es: 'Con una copia del directorio cifrado: twinfold decrypt DIRECTORIO --to DIRECTORIO',
    fr: 'Avec une copie du répertoire chiffré : twinfold decrypt RÉPERTOIRE --to RÉPERTOIRE',
    zh: '使用加密目录的副本：twinfold decrypt 目录 --to 目录',
  },
  'encrypt.offered': {
    en: '{device} offers this folder encrypted: it is stored here, and nobody reads it here.',
    de: '{device} bietet diesen Ordner verschlüsselt an: Er wird hier aufbewahrt und ist hier nicht lesbar.',
    es: '{device} ofrece esta carpeta cifrada: se guarda aquí y aquí no se puede leer.',
    fr: '{device} propose ce dossier chiffré : il est gardé ici et n’y est pas lisible.',
    zh: '{device} 以加密形式提供此文件夹：保存在此处，但无法在此读取。',
  },
  'encrypt.needed': {
    en: '{device} stores this folder encrypted: enter its password below.',
    de: '{device} bewahrt diesen Ordner verschlüsselt auf: Geben Sie unten das Passwort an.',
    es: '{device} guarda esta carpeta cifrada: ponga su contraseña abajo.',
    fr: '{device} garde ce dossier chiffré : donnez son mot de passe ci-dessous.',
    zh: '{device} 以加密形式保存此文件夹：请在下方输入密码。',
  },
  'encrypt.hidden': { en: 'encrypted', de: 'verschlüsselt', es: 'cifrada', fr: 'chiffré', zh: '已加密' },
} as const satisfies Readonly<Record<string, Entry>>
