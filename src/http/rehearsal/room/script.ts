// The script of the room's pages, which are loaded when the first of them is asked for.
import { scriptAsset } from '../../pages/assets.ts';

export const roomScript = scriptAsset('rehearsal/room');
