-- KEYS: the key that says a bucket's form. ARGV: what to set it to, until when it is kept.
-- Replies with 1 if it was set, with 0 if it was there.
if is_over(ARGV[2]) then return NOT_KEPT end
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
