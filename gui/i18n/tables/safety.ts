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
    en: 'What other devices delete or replace stays here for 30 days, and mass deletions wait for you.',
    de: 'Was andere Geräte löschen oder ersetzen, bleibt hier 30 Tage, und Massenlöschungen warten auf dich.',
    es: 'Lo que otros eliminan o reemplazan queda aquí 30 días, y las eliminaciones masivas le esperan.',
    fr: 'Ce que d’autres suppriment ou remplacent reste ici 30 jours ; les suppressions massives vous attendent.',
    zh: '其他设备删除或替换的文件在此保留 30 天，大量删除会等待您确认。',
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
} as const satisfies Readonly<Record<string, TextEntry>>
