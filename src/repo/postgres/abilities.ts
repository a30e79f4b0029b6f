/**
 * Written by every claim, with its token as `able_token`. It grows by one with each feature that the previous version
 * would carry out wrongly. A trigger then refuses claims that have not reached it (see Migrations in README.md). 1:
 * animated GIF, QuickTime and WebM on Bluesky, and reading WebM.
 */
export const abilities = 1
