import type { TextEntry } from '../language.ts'

/** The question about the network in a new home, and the state of discovery, relays and port mapping. */
export const NETWORK = {
  'network.question': {
    en: 'How may other devices find this one?',
    de: 'Wie dürfen andere Geräte dieses finden?',
    es: '¿Cómo pueden encontrar otros dispositivos a este?',
    fr: 'Comment les autres appareils peuvent-ils trouver celui-ci ?',
    zh: '其他设备可以如何找到本设备？',
  },
  'network.questionAbout': {
    en: 'Twinfold contacts no other host until you allow it. You can change this later in the settings.',
    de: 'Twinfold nimmt mit keinem anderen Rechner Verbindung auf, bis Sie es erlauben. Später ist das in den Einstellungen zu ändern.',
    es: 'Twinfold no contacta con ningún otro equipo hasta que usted lo permita. Puede cambiarlo después en los ajustes.',
    fr: 'Twinfold ne contacte aucun autre ordinateur sans votre accord. Vous pourrez changer cela dans les réglages.',
    zh: '在您允许之前，Twinfold 不会联系任何其他主机。之后可在设置中更改。',
  },
  'network.all': { en: 'Enable all', de: 'Alle einschalten', es: 'Activar todo', fr: 'Tout activer', zh: '全部启用' },
  'network.chosen': {
    en: 'Enable selected',
    de: 'Ausgewählte einschalten',
    es: 'Activar lo elegido',
    fr: 'Activer la sélection',
    zh: '启用所选',
  },
  'network.none': {
    en: 'Keep all off',
    de: 'Alles aus lassen',
    es: 'Dejar todo desactivado',
    fr: 'Tout laisser désactivé',
    zh: '全部保持关闭',
  },
  'network.state': { en: 'Status', de: 'Zustand', es: 'Estado', fr: 'État', zh: '状态' },
  'network.discovery': {
    en: 'Discovery',
    de: 'Gerätesuche',
    es: 'Descubrimiento',
    fr: 'Découverte',
    zh: '设备发现',
  },
  'network.listeners': {
    en: 'Listeners and relays',
    de: 'Eingänge und Relays',
    es: 'Escuchas y relés',
    fr: 'Écoutes et relais',
    zh: '监听与中继',
  },
  'network.mapping': {
    en: 'Port mapping',
    de: 'Portfreigabe',
    es: 'Asignación de puertos',
    fr: 'Redirection de ports',
    zh: '端口映射',
  },
  'network.works': { en: 'working', de: 'funktioniert', es: 'funciona', fr: 'fonctionne', zh: '正常' },
  'network.off': { en: 'off', de: 'aus', es: 'desactivado', fr: 'désactivé', zh: '关闭' },
  'network.searching': {
    en: 'looking for a router',
    de: 'sucht einen Router',
    es: 'buscando un router',
    fr: 'recherche d’un routeur',
    zh: '正在查找路由器',
  },
  'network.mapped': {
    en: '{address} leads to port {port} of this device',
    de: '{address} führt zu Port {port} dieses Geräts',
    es: '{address} lleva al puerto {port} de este dispositivo',
    fr: '{address} mène au port {port} de cet appareil',
    zh: '{address} 通向本设备的端口 {port}',
  },
  'network.reachable': {
    en: 'reachable as {addresses}',
    de: 'erreichbar unter {addresses}',
    es: 'accesible como {addresses}',
    fr: 'joignable à {addresses}',
    zh: '可通过 {addresses} 访问',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
