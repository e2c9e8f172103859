import type { Entry } from './language.ts'

/** The filters above long lists. */
export const FILTER = {
  'filter.all': { en: 'All', de: 'Alle', es: 'Todos', fr: 'Tous', zh: '全部' },
  'filter.attention': { en: 'Attention', de: 'Hinweise', es: 'Avisos', fr: 'À traiter', zh: '待处理' },
  'filter.active': { en: 'Active', de: 'Aktiv', es: 'Activos', fr: 'Actifs', zh: '活动' },
  'filter.offline': { en: 'Offline', de: 'Offline', es: 'Desconectados', fr: 'Hors ligne', zh: '离线' },
  'filter.paused': {
    en: 'Paused or unused',
    de: 'Angehalten oder ungenutzt',
    es: 'En pausa o sin uso',
    fr: 'Suspendus ou inutilisés',
    zh: '已暂停或未使用',
  },
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
} as const satisfies Readonly<Record<string, Entry>>
