import type { Entry } from './language.ts'

/** The sentence of truth, the overview, and how folders and devices stand. */
export const OVERVIEW = {
  'truth.starting': { en: 'Starting …', de: 'Startet …', es: 'Iniciando…', fr: 'Démarrage…', zh: '正在启动…' },
  'truth.upToDate': { en: 'Everything is up to date.', de: 'Alles ist auf dem neuesten Stand.', es: 'Todo está al día.', fr: 'Tout est à jour.', zh: '一切都是最新的。' },
  'truth.stopped': { en: '{folder} has stopped: {reason}', de: '{folder} steht still: {reason}', es: '{folder} se ha detenido: {reason}', fr: '{folder} est arrêté : {reason}', zh: '{folder} 已停止：{reason}' },
  'truth.problems': { en: '{n} item in {folder} could not be synchronized.||{n} items in {folder} could not be synchronized.', de: '{n} Element in {folder} konnte nicht abgeglichen werden.||{n} Elemente in {folder} konnten nicht abgeglichen werden.', es: '{n} elemento de {folder} no se pudo sincronizar.||{n} elementos de {folder} no se pudieron sincronizar.', fr: '{n} élément de {folder} n’a pas pu être synchronisé.||{n} éléments de {folder} n’ont pas pu être synchronisés.', zh: '{folder} 中有 {n} 项无法同步。' },
  'truth.downloading': { en: 'Downloading {n} item to {folder}.||Downloading {n} items to {folder}.', de: 'Lädt {n} Element nach {folder}.||Lädt {n} Elemente nach {folder}.', es: 'Descargando {n} elemento en {folder}.||Descargando {n} elementos en {folder}.', fr: 'Téléchargement de {n} élément vers {folder}.||Téléchargement de {n} éléments vers {folder}.', zh: '正在下载 {n} 项到 {folder}。' },
  'truth.scanning': { en: 'Looking for changes in {folder}.', de: 'Sucht nach Änderungen in {folder}.', es: 'Buscando cambios en {folder}.', fr: 'Recherche de changements dans {folder}.', zh: '正在 {folder} 中查找变更。' },
  'truth.waiting': { en: '{n} item is waiting: no connected device has it.||{n} items are waiting: no connected device has them.', de: '{n} Element wartet: Kein verbundenes Gerät hat es.||{n} Elemente warten: Kein verbundenes Gerät hat sie.', es: '{n} elemento espera: ningún dispositivo conectado lo tiene.||{n} elementos esperan: ningún dispositivo conectado los tiene.', fr: '{n} élément attend : aucun appareil connecté ne l’a.||{n} éléments attendent : aucun appareil connecté ne les a.', zh: '有 {n} 项在等待：没有已连接的设备拥有它们。' },
  'truth.waitingAlone': { en: '{n} item is waiting: no device is connected.||{n} items are waiting: no device is connected.', de: '{n} Element wartet: Kein Gerät ist verbunden.||{n} Elemente warten: Kein Gerät ist verbunden.', es: '{n} elemento espera: no hay ningún dispositivo conectado.||{n} elementos esperan: no hay ningún dispositivo conectado.', fr: '{n} élément attend : aucun appareil n’est connecté.||{n} éléments attendent : aucun appareil n’est connecté.', zh: '有 {n} 项在等待：没有已连接的设备。' },
  'truth.noFolders': { en: 'Nothing to synchronize yet. Add a folder to begin.', de: 'Noch gibt es nichts abzugleichen. Fügen Sie einen Ordner hinzu.', es: 'Aún no hay nada que sincronizar. Añada una carpeta para empezar.', fr: 'Rien à synchroniser pour l’instant. Ajoutez un dossier pour commencer.', zh: '还没有要同步的内容。请先添加文件夹。' },
  'truth.noDevices': { en: 'No other device yet. Add one to share your folders with.', de: 'Noch kein anderes Gerät. Fügen Sie eines hinzu, um Ordner zu teilen.', es: 'Aún no hay otro dispositivo. Añada uno para compartir sus carpetas.', fr: 'Pas encore d’autre appareil. Ajoutez-en un pour partager vos dossiers.', zh: '还没有其他设备。添加一台以共享文件夹。' },
  'truth.alone': { en: 'Nothing is waiting here, but no other device is connected.', de: 'Hier wartet nichts, aber kein anderes Gerät ist verbunden.', es: 'Aquí no espera nada, pero no hay otro dispositivo conectado.', fr: 'Rien n’attend ici, mais aucun autre appareil n’est connecté.', zh: '这里没有等待的内容，但没有其他设备连接。' },
  'truth.allPaused': { en: 'All folders are paused.', de: 'Alle Ordner sind angehalten.', es: 'Todas las carpetas están en pausa.', fr: 'Tous les dossiers sont suspendus.', zh: '所有文件夹都已暂停。' },

  'folder.paused': { en: 'Paused', de: 'Angehalten', es: 'En pausa', fr: 'Suspendu', zh: '已暂停' },
  'folder.starting': { en: 'Starting', de: 'Startet', es: 'Iniciando', fr: 'Démarrage', zh: '正在启动' },
  'folder.stopped': { en: 'Stopped', de: 'Steht still', es: 'Detenida', fr: 'Arrêté', zh: '已停止' },
  'folder.scanning': { en: 'Scanning', de: 'Wird eingelesen', es: 'Escaneando', fr: 'Analyse', zh: '正在扫描' },
  'folder.scanningAt': { en: 'Scanning {percent}', de: 'Eingelesen {percent}', es: 'Escaneando {percent}', fr: 'Analyse {percent}', zh: '正在扫描 {percent}' },
  'folder.downloading': { en: 'Downloading {percent}', de: 'Geladen {percent}', es: 'Descargando {percent}', fr: 'Téléchargement {percent}', zh: '正在下载 {percent}' },
  'folder.scanWaiting': { en: 'Waiting to scan', de: 'Wartet aufs Einlesen', es: 'Espera para escanear', fr: 'En attente d’analyse', zh: '等待扫描' },
  'folder.preparing': { en: 'Preparing to download', de: 'Bereitet das Laden vor', es: 'Preparando la descarga', fr: 'Préparation du téléchargement', zh: '准备下载' },
  'folder.cleaning': { en: 'Cleaning up', de: 'Räumt auf', es: 'Limpiando', fr: 'Nettoyage', zh: '正在清理' },
  'folder.upToDate': { en: 'Up to date', de: 'Aktuell', es: 'Al día', fr: 'À jour', zh: '最新' },
  'folder.problems': { en: '{n} problem||{n} problems', de: '{n} Problem||{n} Probleme', es: '{n} problema||{n} problemas', fr: '{n} problème||{n} problèmes', zh: '{n} 个问题' },
  'folder.outOfSync': { en: '{n} out of sync', de: '{n} nicht abgeglichen', es: '{n} sin sincronizar', fr: '{n} non synchronisés', zh: '{n} 项未同步' },
  'folder.extra': { en: '{n} changed here only', de: '{n} nur hier geändert', es: '{n} cambiados solo aquí', fr: '{n} modifiés seulement ici', zh: '{n} 项仅在此处更改' },

  'device.paused': { en: 'Paused', de: 'Angehalten', es: 'En pausa', fr: 'Suspendu', zh: '已暂停' },
  'device.offlineSince': { en: 'Offline, last seen {time}', de: 'Offline, zuletzt gesehen {time}', es: 'Desconectado, visto {time}', fr: 'Hors ligne, vu {time}', zh: '离线，上次在线 {time}' },
  'device.never': { en: 'Never connected yet', de: 'Noch nie verbunden', es: 'Aún no se ha conectado', fr: 'Jamais connecté', zh: '从未连接' },
  'device.byRelay': { en: 'Relay', de: 'Relay', es: 'Relé', fr: 'Relais', zh: '中继' },
  'device.byLan': { en: 'LAN', de: 'LAN', es: 'LAN', fr: 'LAN', zh: '局域网' },
  'device.byInternet': { en: 'Internet', de: 'Internet', es: 'Internet', fr: 'Internet', zh: '互联网' },
  'device.upToDate': { en: 'Connected · {way} · up to date', de: 'Verbunden · {way} · aktuell', es: 'Conectado · {way} · al día', fr: 'Connecté · {way} · à jour', zh: '已连接 · {way} · 最新' },
  'device.syncing': { en: 'Connected · {way} · {percent}', de: 'Verbunden · {way} · {percent}', es: 'Conectado · {way} · {percent}', fr: 'Connecté · {way} · {percent}', zh: '已连接 · {way} · {percent}' },

  'overview.noFolders': { en: 'No folder yet. A folder is a directory on this machine that you keep alike on other devices.', de: 'Noch kein Ordner. Ein Ordner ist ein Verzeichnis dieses Rechners, das Sie auf anderen Geräten gleich halten.', es: 'Aún no hay carpetas. Una carpeta es un directorio de esta máquina que se mantiene igual en otros dispositivos.', fr: 'Pas encore de dossier. Un dossier est un répertoire de cette machine gardé identique sur d’autres appareils.', zh: '还没有文件夹。文件夹是本机上与其他设备保持一致的目录。' },
  'overview.noDevices': { en: 'No other device yet. Add one by its ID, or let it knock here.', de: 'Noch kein anderes Gerät. Fügen Sie eines über seine ID hinzu, oder lassen Sie es hier anklopfen.', es: 'Aún no hay otro dispositivo. Añada uno por su ID, o deje que llame aquí.', fr: 'Pas encore d’autre appareil. Ajoutez-en un par son ID, ou laissez-le frapper ici.', zh: '还没有其他设备。通过 ID 添加，或等待它来敲门。' },
} as const satisfies Readonly<Record<string, Entry>>
