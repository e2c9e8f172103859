import type { TextEntry } from '../language.ts'

/** The notice about a newer release. */
export const UPGRADE = {
  'upgrade.title': { en: 'New version', de: 'Neue Version', es: 'Nueva versión', fr: 'Nouvelle version', zh: '新版本' },
  'upgrade.available': {
    en: 'Twinfold {latest} is available. The running version is {running}.',
    de: 'Twinfold {latest} ist verfügbar. Hier läuft {running}.',
    es: 'Twinfold {latest} está disponible. Esta es la {running}.',
    fr: 'Twinfold {latest} est disponible. Ceci est la {running}.',
    zh: 'Twinfold {latest} 已可用。当前版本为 {running}。',
  },
  'upgrade.major': {
    en: 'It is a new major version. Read what changed before you upgrade.',
    de: 'Es ist eine neue Hauptversion. Lesen Sie vor dem Aktualisieren, was sich geändert hat.',
    es: 'Es una nueva versión principal. Lea los cambios antes de actualizar.',
    fr: 'C’est une nouvelle version majeure. Lisez les changements avant la mise à jour.',
    zh: '这是一个新的主版本。升级前请先阅读变更内容。',
  },
  'upgrade.changes': {
    en: 'What changed',
    de: 'Was sich geändert hat',
    es: 'Qué ha cambiado',
    fr: 'Ce qui a changé',
    zh: '变更内容',
  },
  'upgrade.run': {
    en: 'To upgrade, run this command on the machine that runs Twinfold:',
    de: 'Zum Aktualisieren führen Sie diesen Befehl auf dem Rechner aus, auf dem Twinfold läuft:',
    es: 'Para actualizar, ejecute este comando en la máquina donde funciona Twinfold:',
    fr: 'Pour mettre à jour, exécutez cette commande sur la machine où fonctionne Twinfold :',
    zh: '要升级，请在运行 Twinfold 的机器上执行此命令：',
  },
  'upgrade.copy': {
    en: 'Copy command',
    de: 'Befehl kopieren',
    es: 'Copiar comando',
    fr: 'Copier la commande',
    zh: '复制命令',
  },
  'upgrade.then.restart': {
    en: 'Then restart Twinfold.',
    de: 'Starten Sie danach Twinfold neu.',
    es: 'Después reinicie Twinfold.',
    fr: 'Redémarrez ensuite Twinfold.',
    zh: '然后重启 Twinfold。',
  },
  'upgrade.then.container': {
    en: 'The command is for Docker Compose. Otherwise pull the new image and create the container again.',
    de: 'Der Befehl ist für Docker Compose. Sonst laden Sie das neue Image und erstellen den Container neu.',
    es: 'El comando es para Docker Compose. Si no, descargue la nueva imagen y vuelva a crear el contenedor.',
    fr: 'La commande est pour Docker Compose. Sinon, téléchargez la nouvelle image et recréez le conteneur.',
    zh: '该命令适用于 Docker Compose。否则请拉取新镜像并重新创建容器。',
  },
  'upgrade.then.npx': {
    en: 'Stop Twinfold first: the command starts the new version.',
    de: 'Beenden Sie Twinfold vorher: Der Befehl startet die neue Version.',
    es: 'Detenga antes Twinfold: el comando inicia la nueva versión.',
    fr: 'Arrêtez d’abord Twinfold : la commande démarre la nouvelle version.',
    zh: '请先停止 Twinfold：该命令会启动新版本。',
  },
  'upgrade.then.single-file': {
    en: 'First download the archive of the release and SHA256SUMS into the current directory. Then restart Twinfold.',
    de: 'Laden Sie vorher das Archiv der Version und SHA256SUMS in das aktuelle Verzeichnis. Starten Sie danach Twinfold neu.',
    es: 'Descargue antes el archivo de la versión y SHA256SUMS en el directorio actual. Después reinicie Twinfold.',
    fr: 'Téléchargez d’abord l’archive de la version et SHA256SUMS dans le répertoire courant. Redémarrez ensuite Twinfold.',
    zh: '请先将该版本的压缩包和 SHA256SUMS 下载到当前目录。然后重启 Twinfold。',
  },
  'upgrade.then.unknown': {
    en: 'Install it the way this version was installed, then restart Twinfold.',
    de: 'Installieren Sie sie auf demselben Weg wie diese Version und starten Sie Twinfold danach neu.',
    es: 'Instálela como se instaló esta versión y después reinicie Twinfold.',
    fr: 'Installez-la comme cette version a été installée, puis redémarrez Twinfold.',
    zh: '请用安装当前版本的方式安装新版本，然后重启 Twinfold。',
  },
  'upgrade.dismiss': {
    en: 'Hide until the next version',
    de: 'Bis zur nächsten Version ausblenden',
    es: 'Ocultar hasta la próxima versión',
    fr: 'Masquer jusqu’à la prochaine version',
    zh: '隐藏直到下一版本',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
