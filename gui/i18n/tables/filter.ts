import type { TextEntry } from '../language.ts'

/** The filters above long lists. */
export const FILTER = {
  'filter.all': { en: 'All', de: 'Alle', es: 'Todos', fr: 'Tous', zh: '全部' },
  'filter.attention': { en: 'Attention', de: 'Hinweise', es: 'Avisos', fr: 'À traiter', zh: '待处理' },
  'filter.active': { en: 'Active', de: 'Aktiv', es: 'Activos', fr: 'Actifs', zh: '活动' },
  'filter.offline': { en: 'Offline', de: 'Offline', es: 'Desconectados', fr: 'Hors ligne', zh: '离线' },
  'filter.upToDate': { en: 'Up to date', de: 'Aktuell', es: 'Al día', fr: 'À jour', zh: '最新' },
  'filter.paused': { en: 'Paused', de: 'Angehalten', es: 'En pausa', fr: 'Suspendus', zh: '已暂停' },
  'filter.unused': { en: 'Not shared', de: 'Nicht geteilt', es: 'Sin compartir', fr: 'Non partagés', zh: '未共享' },
  'filter.folders': {
    en: 'Find a folder',
    de: 'Ordner suchen',
    es: 'Buscar carpeta',
    fr: 'Chercher un dossier',
    zh: '查找文件夹',
  },
  'filter.devices': {
    en: 'Find a device',
    de: 'Gerät suchen',
    es: 'Buscar dispositivo',
    fr: 'Chercher un appareil',
    zh: '查找设备',
  },
  'filter.none': {
    en: 'Nothing matches.',
    de: 'Nichts passt dazu.',
    es: 'Nada coincide.',
    fr: 'Rien ne correspond.',
    zh: '没有匹配的内容。',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
