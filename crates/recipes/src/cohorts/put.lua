-- KEYS: any key. ARGV: a bitmap.
-- Puts the bitmap at the key, whatever was there, or deletes the key if the bitmap is empty. Replies with its length.
if ARGV[1] == '' then
  redis.call('DEL', KEYS[1])
  return 0
end
-- Not DEL: while a slot moves to another node of a cluster, a key that is gone cannot be made.
redis.call('SET', KEYS[1], '')
return redis.call('SETRANGE', KEYS[1], 0, ARGV[1])
