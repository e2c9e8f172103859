import type { TextEntry } from '../language.ts'

/** Resolving conflicts. */
export const CONFLICTS = {
  'conflicts.keepFile': {
    en: 'Keep the file||Keep the files',
    de: 'Datei behalten||Dateien behalten',
    es: 'Conservar el archivo||Conservar los archivos',
    fr: 'Garder le fichier||Garder les fichiers',
    zh: '保留原件',
  },
  'conflicts.keepCopy': {
    en: 'Keep the copy||Keep the copies',
    de: 'Kopie behalten||Kopien behalten',
    es: 'Conservar la copia||Conservar las copias',
    fr: 'Garder la copie||Garder les copies',
    zh: '保留副本',
  },
  'conflicts.resolved': {
    en: '{n} conflict resolved.||{n} conflicts resolved.',
    de: '{n} Konflikt gelöst.||{n} Konflikte gelöst.',
    es: '{n} conflicto resuelto.||{n} conflictos resueltos.',
    fr: '{n} conflit résolu.||{n} conflits résolus.',
    zh: '已解决 {n} 个冲突。',
  },
  'conflicts.archived': {
    en: 'What was not kept is an old version now.',
    de: 'Was nicht behalten wurde, ist jetzt eine ältere Fassung.',
    es: 'Lo que no se conservó es ahora una versión anterior.',
    fr: 'Ce qui n’a pas été gardé est maintenant une ancienne version.',
    zh: '未保留的内容已存为旧版本。',
  },
  'conflicts.removeTitle': {
    en: 'Delete {n} version for good?||Delete {n} versions for good?',
    de: '{n} Fassung endgültig löschen?||{n} Fassungen endgültig löschen?',
    es: '¿Borrar {n} versión para siempre?||¿Borrar {n} versiones para siempre?',
    fr: 'Supprimer {n} version pour de bon ?||Supprimer {n} versions pour de bon ?',
    zh: '永久删除 {n} 个版本？',
  },
  'conflicts.removeCopy': {
    en: 'This folder keeps no old versions. The conflict copy is deleted on this and all other devices, and cannot be restored.||This folder keeps no old versions. {n} conflict copies are deleted on this and all other devices, and cannot be restored.',
    de: 'Dieser Ordner bewahrt keine älteren Fassungen auf. Die Konfliktkopie wird hier und auf allen anderen Geräten gelöscht und lässt sich nicht zurückholen.||Dieser Ordner bewahrt keine älteren Fassungen auf. {n} Konfliktkopien werden hier und auf allen anderen Geräten gelöscht und lassen sich nicht zurückholen.',
    es: 'Esta carpeta no guarda versiones anteriores. La copia en conflicto se borra aquí y en todos los demás dispositivos y no se puede recuperar.||Esta carpeta no guarda versiones anteriores. {n} copias en conflicto se borran aquí y en todos los demás dispositivos y no se pueden recuperar.',
    fr: 'Ce dossier ne garde pas d’anciennes versions. La copie en conflit est supprimée ici et sur tous les autres appareils, sans retour possible.||Ce dossier ne garde pas d’anciennes versions. {n} copies en conflit sont supprimées ici et sur tous les autres appareils, sans retour possible.',
    zh: '此文件夹不保留旧版本。{n} 个冲突副本将在本机和所有其他设备上删除，无法恢复。',
  },
  'conflicts.removeFile': {
    en: 'This folder keeps no old versions. The copy replaces the file on this and all other devices, and the file cannot be restored.||This folder keeps no old versions. The copies replace {n} files on this and all other devices, and the files cannot be restored.',
    de: 'Dieser Ordner bewahrt keine älteren Fassungen auf. Die Kopie ersetzt die Datei hier und auf allen anderen Geräten; die Datei lässt sich nicht zurückholen.||Dieser Ordner bewahrt keine älteren Fassungen auf. Die Kopien ersetzen {n} Dateien hier und auf allen anderen Geräten; die Dateien lassen sich nicht zurückholen.',
    es: 'Esta carpeta no guarda versiones anteriores. La copia sustituye al archivo aquí y en todos los demás dispositivos, y el archivo no se puede recuperar.||Esta carpeta no guarda versiones anteriores. Las copias sustituyen a {n} archivos aquí y en todos los demás dispositivos, y no se pueden recuperar.',
    fr: 'Ce dossier ne garde pas d’anciennes versions. La copie remplace le fichier ici et sur tous les autres appareils ; le fichier ne peut pas être récupéré.||Ce dossier ne garde pas d’anciennes versions. Les copies remplacent {n} fichiers ici et sur tous les autres appareils ; ils ne peuvent pas être récupérés.',
    zh: '此文件夹不保留旧版本。副本将在本机和所有其他设备上替换 {n} 个文件，被替换的文件无法恢复。',
  },
  'conflicts.failed': {
    en: 'Not resolved',
    de: 'Nicht gelöst',
    es: 'Sin resolver',
    fr: 'Non résolu',
    zh: '未解决',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
