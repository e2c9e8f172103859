import type { TextEntry } from '../language.ts'

/** Trash can and guard of folders: what protects against deletions by mistake. */
export const SAFETY = {
  'safety.label': {
    en: 'Protect against deletions by mistake',
    de: 'Vor versehentlichem Löschen schützen',
    es: 'Proteger contra eliminaciones por error',
    fr: 'Protéger contre les suppressions par erreur',
    zh: '防止误删',
  },
  'safety.help': {
    en: 'What other devices delete or replace stays here for 30 days, and mass deletions wait for you. What you delete here is only kept by the devices that receive it.',
    de: 'Was andere Geräte löschen oder ersetzen, bleibt hier 30 Tage, und Massenlöschungen warten auf dich. Was du hier löschst, behalten nur die Geräte, die es bekommen.',
    es: 'Lo que otros eliminan o reemplazan queda aquí 30 días, y las eliminaciones masivas le esperan. Lo que elimina aquí solo lo conservan los dispositivos que lo reciben.',
    fr: 'Ce que d’autres suppriment ou remplacent reste ici 30 jours ; les suppressions massives vous attendent. Ce que vous supprimez ici n’est gardé que par les appareils qui le reçoivent.',
    zh: '其他设备删除或替换的文件在此保留 30 天，大量删除会等待您确认。您在此删除的内容仅由接收它的设备保留。',
  },
  'safety.offer': {
    en: '{n} folder does not protect against deletions by mistake.||{n} folders do not protect against deletions by mistake.',
    de: '{n} Ordner schützt nicht vor versehentlichem Löschen.||{n} Ordner schützen nicht vor versehentlichem Löschen.',
    es: '{n} carpeta no protege contra eliminaciones por error.||{n} carpetas no protegen contra eliminaciones por error.',
    fr: '{n} dossier ne protège pas contre les suppressions par erreur.||{n} dossiers ne protègent pas contre les suppressions par erreur.',
    zh: '{n} 个文件夹未开启误删保护。',
  },
  'safety.protect': { en: 'Protect', de: 'Schützen', es: 'Proteger', fr: 'Protéger', zh: '开启保护' },
  'safety.done': {
    en: 'Deleted files are kept for 30 days now.',
    de: 'Gelöschte Dateien bleiben jetzt 30 Tage erhalten.',
    es: 'Los archivos eliminados se conservan ahora 30 días.',
    fr: 'Les fichiers supprimés sont désormais gardés 30 jours.',
    zh: '已删除的文件现在会保留 30 天。',
  },
  'safety.dismiss': {
    en: 'Do not offer protection again',
    de: 'Schutz nicht mehr anbieten',
    es: 'No volver a ofrecer protección',
    fr: 'Ne plus proposer de protection',
    zh: '不再提示保护',
  },
  'trash.used': {
    en: '{n} old version, {size}||{n} old versions, {size}',
    de: '{n} alte Version, {size}||{n} alte Versionen, {size}',
    es: '{n} versión antigua, {size}||{n} versiones antiguas, {size}',
    fr: '{n} ancienne version, {size}||{n} anciennes versions, {size}',
    zh: '{n} 个旧版本，{size}',
  },
  'trash.usedOf': {
    en: '{n} old version, {size} of at most {most}||{n} old versions, {size} of at most {most}',
    de: '{n} alte Version, {size} von höchstens {most}||{n} alte Versionen, {size} von höchstens {most}',
    es: '{n} versión antigua, {size} de un máximo de {most}||{n} versiones antiguas, {size} de un máximo de {most}',
    fr: '{n} ancienne version, {size} sur {most} au plus||{n} anciennes versions, {size} sur {most} au plus',
    zh: '{n} 个旧版本，{size}，最多 {most}',
  },
  'trash.empty': {
    en: 'Empty the trash',
    de: 'Papierkorb leeren',
    es: 'Vaciar la papelera',
    fr: 'Vider la corbeille',
    zh: '清空回收站',
  },
  'trash.emptyTitle': {
    en: 'Delete {n} old version?||Delete {n} old versions?',
    de: '{n} alte Version löschen?||{n} alte Versionen löschen?',
    es: '¿Eliminar {n} versión antigua?||¿Eliminar {n} versiones antiguas?',
    fr: 'Supprimer {n} ancienne version ?||Supprimer {n} anciennes versions ?',
    zh: '删除 {n} 个旧版本？',
  },
  'trash.emptyText': {
    en: '{size} become free on this device. What others deleted or replaced cannot be brought back from here then.',
    de: 'Auf diesem Gerät werden {size} frei. Was andere gelöscht oder ersetzt haben, lässt sich dann von hier nicht zurückholen.',
    es: 'Se liberan {size} en este dispositivo. Lo que otros eliminaron o reemplazaron ya no se podrá recuperar desde aquí.',
    fr: '{size} seront libérés sur cet appareil. Ce que d’autres ont supprimé ou remplacé ne pourra plus être récupéré ici.',
    zh: '此设备将释放 {size}。之后无法再从这里恢复其他设备删除或替换的内容。',
  },
  'trash.emptied': {
    en: '{n} old version deleted, {size} free.||{n} old versions deleted, {size} free.',
    de: '{n} alte Version gelöscht, {size} frei.||{n} alte Versionen gelöscht, {size} frei.',
    es: '{n} versión antigua eliminada, {size} libres.||{n} versiones antiguas eliminadas, {size} libres.',
    fr: '{n} ancienne version supprimée, {size} libérés.||{n} anciennes versions supprimées, {size} libérés.',
    zh: '已删除 {n} 个旧版本，释放 {size}。',
  },
} as const satisfies Readonly<Record<string, TextEntry>>
