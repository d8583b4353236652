// The one cache of decoded images.

import { decodeImage } from "./decode/decode";
import { PictureStore } from "./picture_store";

export const pictures = new PictureStore(decodeImage);
