-- KEYS: any key. ARGV: a bitmap.
-- Puts the bitmap at the key, whatever was there, or deletes the key if the bitmap is empty. Replies with its length.
redis.call('DEL', KEYS[1])
return redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
