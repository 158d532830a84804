-- KEYS: the key that records the form of a bucket. ARGV: the value to set, and the time until which it is kept.
-- Replies with 1 if the key was set, and with 0 if it already existed.
if is_over(ARGV[2]) then return NOT_KEPT end
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('PEXPIREAT', KEYS[1], ARGV[2])
return 1
